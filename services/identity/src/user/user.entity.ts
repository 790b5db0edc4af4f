import { defineEntity, p } from '@mikro-orm/core';
import { erasedName, nameKey, Role, UserStatus } from '@tollgate/contracts';

/** What a user chose about notices and prices; the webhook's secret is kept apart, encrypted. */
export interface StoredSetting {
  notify_type?: 'email' | 'webhook';
  quota_warning_threshold?: number;
  webhook_url?: string;
  notification_email?: string;
  accept_unset_model_ratio_model?: boolean;
  /** Language of the page on which the user last chose how to get notices. */
  language?: 'zh' | 'en';
}

/** What the secret of a webhook is encrypted for. */
export const WEBHOOK_SECRET = 'webhook-secret';

/** Where the identity of an account elsewhere is kept. */
export type Binding = 'githubId' | 'oidcId' | 'linuxDoId' | 'wechatId' | 'telegramId';

const user = defineEntity({
  name: 'User',
  tableName: 'users',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** As typed; `usernameKey` is what must be unique and what is looked up. */
    username: p.text(),
    usernameKey: p.text(),
    displayName: p.text(),
    /** Empty when the user signs in through a provider only. */
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
    /** HMAC of the system access token, which itself is shown once and kept nowhere. */
    accessTokenHash: p.text().nullable(),
    /** 0 = nobody. */
    inviterId: p.integer().default(0),
    setting: p.json<StoredSetting>().defaultRaw(`'{}'`),
    sealedWebhookSecret: p.text().nullable(),
    /** The secret of one-time codes, encrypted; null where none are asked for. */
    sealedTotp: p.text().nullable(),
    /** The step, of thirty seconds, of the last code that was taken: neither it nor an older one is taken again. */
    totpStep: p.bigint('number').default(0),
    /** How many passkeys there are. */
    passkeyCount: p.integer().default(0),
    /** A session made under a smaller number is over. */
    sessionVersion: p.integer().default(1),
    revision: p.bigint('number').default(0),
    createdAt: p.datetime().onCreate(() => new Date()),
    deletedAt: p.datetime().nullable(),
    /** Nothing here names the person any more. */
    erasedAt: p.datetime().nullable(),
  },
});

/** What is known of a person apart from names and numbers. */
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

  rename(username: string): void {
    this.username = username;
    this.usernameKey = usernameKeyOf(username);
  }

  /** Whoever knew the old one may have taken an access token, so it ends too; whoever keeps a session opens a new one. */
  replacePassword(hash: string): void {
    this.passwordHash = hash;
    this.accessTokenHash = null;
    this.endSessions();
  }

  /** A role is read afresh with every request, so open sessions go on with the new one. */
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

  /** Irreversible. The name stays taken. */
  cancel(at: Date): void {
    this.deletedAt = at;
    this.accessTokenHash = null;
    this.endSessions();
  }

  /** Irreversible. The row stays for what was booked; the names, addresses and accounts elsewhere are free for others. */
  erase(at: Date): void {
    this.cancel(this.deletedAt ?? at);
    this.erasedAt = at;
    this.username = erasedName(this.id);
    // Names have no such sign, so nobody who was called so before is in the way.
    this.usernameKey = `${this.username}@`;
    Object.assign(this, { ...NOBODY, displayName: this.username });
  }

  /** Every one of them, on every replica. */
  endSessions(): void {
    this.sessionVersion += 1;
  }
}
user.setClass(User);

export const usernameKeyOf = nameKey;
/** The key of users from before letters were folded who look like somebody else. */
export const writtenKeyOf = (username: string): string => username.trim().toLowerCase();
export const emailKeyOf = (email: string): string => email.trim().toLowerCase();
