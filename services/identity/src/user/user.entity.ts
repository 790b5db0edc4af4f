import { defineEntity, p } from '@mikro-orm/core';
import { erasedName, nameKey, Role, UserStatus } from '@tollgate/contracts';

/** The user's settings for notices and prices; the webhook secret is stored separately, encrypted. */
export interface StoredSetting {
  notify_type?: 'email' | 'webhook';
  quota_warning_threshold?: number;
  webhook_url?: string;
  /** In lower case; several are separated by `;`. */
  notification_email?: string;
  accept_unset_model_ratio_model?: boolean;
  /** Language of the page on which the user last saved these settings. */
  language?: 'zh' | 'en';
}

/** Encryption purpose of webhook secrets. */
export const WEBHOOK_SECRET = 'webhook-secret';

/** Columns that hold the id of a provider account. */
export type Binding = 'githubId' | 'oidcId' | 'linuxDoId' | 'wechatId' | 'telegramId';

const user = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** As typed; `usernameKey` is the normalized form, which is unique and used for look-ups. */
    username: p.text(),
    usernameKey: p.text(),
    displayName: p.text(),
    /** Empty when the user signs in through providers only. */
    passwordHash: p.text().default(''),
    role: p.integer().default(Role.user),
    status: p.integer().default(UserStatus.enabled),
    /** In lower case; empty when unknown. */
    email: p.text().default(''),
    group: p.text().default('default'),
    githubId: p.text().nullable(),
    oidcId: p.text().nullable(),
    wechatId: p.text().nullable(),
    telegramId: p.text().nullable(),
    linuxDoId: p.text().nullable(),
    /** Keyed hash of the system access token; the token itself is not stored. */
    accessTokenHash: p.text().nullable(),
    /** 0 = not invited. */
    inviterId: p.integer().default(0),
    setting: p.json<StoredSetting>().defaultRaw(`'{}'`),
    sealedWebhookSecret: p.text().nullable(),
    /** Encrypted secret of one-time codes; null when they are not set up. */
    sealedTotp: p.text().nullable(),
    /** Time step (30 seconds each) of the last accepted one-time code; codes of this step or older ones are refused. */
    totpStep: p.bigint('number').default(0),
    passkeyCount: p.integer().default(0),
    /** Sessions with a smaller version are no longer valid. */
    sessionVersion: p.integer().default(1),
    revision: p.bigint('number').default(0),
    createdAt: p.datetime().onCreate(() => new Date()),
    deletedAt: p.datetime().nullable(),
    /** Set when everything that names the person was removed from the row. */
    erasedAt: p.datetime().nullable(),
  },
});

/** The values of an erased user in the columns that hold personal data other than names. */
const NOBODY = {
  ...{ passwordHash: '', email: '', setting: {}, sealedWebhookSecret: null },
  ...{ githubId: null, oidcId: null, wechatId: null, telegramId: null, linuxDoId: null },
  ...{ sealedTotp: null, totpStep: 0, passkeyCount: 0 },
} satisfies Partial<Record<keyof typeof user.class.prototype, unknown>>;

export class User extends user.class {
  hasSecondFactor(): boolean {
    return this.sealedTotp != null || this.passkeyCount > 0;
  }

  isEnabled(): boolean {
    return this.status === UserStatus.enabled;
  }

  /** Where notices are mailed to; empty for a user without an email address. */
  mailAddresses(): string[] {
    return addressesIn(this.setting.notification_email ?? this.email);
  }

  canBeNotified(): boolean {
    if (this.setting.notify_type === 'webhook') return this.setting.webhook_url !== undefined;
    return this.mailAddresses().length > 0;
  }

  rename(username: string): void {
    this.username = username;
    this.usernameKey = usernameKeyOf(username);
  }

  /**
   * Also ends sessions and the access token, since somebody who knew the old password may have created them. A caller
   * who wants to stay signed in opens a new session afterwards.
   */
  replacePassword(hash: string): void {
    this.passwordHash = hash;
    this.accessTokenHash = null;
    this.endSessions();
  }

  /** Open sessions continue with the new role, because the role is read with each request. */
  assignRole(role: Role): void {
    this.role = role;
  }

  ban(): void {
    this.status = UserStatus.banned;
    this.endSessions();
  }

  enable(): void {
    this.status = UserStatus.enabled;
  }

  /** Irreversible. The name remains taken. */
  cancel(at: Date): void {
    this.deletedAt = at;
    this.accessTokenHash = null;
    this.endSessions();
  }

  /** Irreversible. The row is kept for its bookings; name, address and provider accounts become free for others. */
  erase(at: Date): void {
    this.cancel(this.deletedAt ?? at);
    this.erasedAt = at;
    this.username = erasedName(this.id);
    // No username may contain `@`, so this key cannot collide with a name in use.
    this.usernameKey = `${this.username}@`;
    Object.assign(this, { ...NOBODY, displayName: this.username });
  }

  /** Ends every session on every replica. */
  endSessions(): void {
    this.sessionVersion += 1;
  }
}
user.setClass(User);

export const usernameKeyOf = nameKey;
/**
 * Key as it was computed before look-alike letters were folded. A user whose folded key was taken by another user still
 * has this one.
 */
export const writtenKeyOf = (username: string): string => username.trim().toLowerCase();
export const emailKeyOf = (email: string): string => email.trim().toLowerCase();

/** The addresses of a setting for notices, each once. */
export const addressesIn = (list = ''): string[] =>
  [...new Set(list.split(';').map(emailKeyOf))].filter((address) => address !== '');
