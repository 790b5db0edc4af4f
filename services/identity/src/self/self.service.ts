import { Injectable } from '@nestjs/common';
import type {
  SeenSetting,
  updateSelfSchema,
  updateUserSettingSchema,
  User as UserReply,
} from '@tollgate/contracts/api/user';
import {
  AppError,
  type Caller,
  changedNames,
  Clock,
  OutboundClient,
  refuseOverwriting,
  SecretBox,
} from '@tollgate/chassis';
import type { z } from 'zod';
import { hashPassword } from '../credential/password.js';
import { OwnerCheck } from '../enrolment/owner-check.js';
import { Factors } from '../factor/factors.js';
import { type HttpExchange, SessionService } from '../login/session.service.js';
import type { Language } from '../mail/language.js';
import { OwnPassword, type Renewal, renewPassword } from '../user/own-password.js';
import { addressesIn, type StoredSetting, type User, WEBHOOK_SECRET } from '../user/user.entity.js';
import { rename } from '../user/rename.js';
import { toSetting, toUserReply } from '../user/user.reply.js';
import { denyOwnDeletion, refuse } from '../user/user-rules.js';
import { UserStore } from '../user/user-store.js';
import { WalletsClient } from '../user/wallets.client.js';

type SelfEdit = z.output<typeof updateSelfSchema>;
type SettingEdit = z.output<typeof updateUserSettingSchema>;

/** What users do with their own account. */
@Injectable()
export class SelfService {
  constructor(
    private readonly users: UserStore,
    private readonly wallets: WalletsClient,
    private readonly sessions: SessionService,
    private readonly ownPassword: OwnPassword,
    private readonly outbound: OutboundClient,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
    private readonly factors: Factors,
    private readonly owner: OwnerCheck,
  ) {}

  async read(id: number): Promise<UserReply> {
    const user = await this.users.get(id);
    const balanceOf = await this.wallets.balancesOf([id]);
    return {
      ...toUserReply(user, balanceOf(id)),
      must_set_two_factor: this.factors.mustEnrol(user),
      original_needed: user.passwordHash !== '',
    };
  }

  /**
   * A new password ends every session of the user. The one that set it is replaced by a new session with a new cookie.
   */
  async update(edit: SelfEdit, caller: Caller, exchange: HttpExchange): Promise<void> {
    const renewal = edit.password === undefined ? undefined : await this.renewable(edit, caller.userId, exchange);
    const user = await this.users.changeOwn(caller, (self) => {
      rename(self, edit.username);
      self.displayName = edit.display_name ?? self.displayName;
      if (renewal) renewPassword(self, renewal);
    });
    if (renewal && caller.via === 'session') await this.sessions.open(user, exchange);
  }

  async delete(caller: Caller, exchange: HttpExchange): Promise<void> {
    await this.users.changeOwn(caller, (user) => {
      refuse(denyOwnDeletion(user.role));
      user.cancel(new Date(this.clock.now()));
    });
    await this.sessions.close(exchange);
  }

  /**
   * Replaces all settings. The webhook secret is kept only when the field is absent and the address stays the same, so
   * that nobody who can save settings can have it sent to themselves; an empty text removes it.
   */
  async updateSetting(edit: SettingEdit, id: number, language?: Language): Promise<void> {
    const isWebhook = edit.notify_type === 'webhook';
    if (isWebhook && edit.webhook_url !== undefined) await this.checkWebhook(edit.webhook_url);
    await this.users.change(id, (user) => {
      refuseUnseen(user, edit.expected);
      const isSameHook = isWebhook && edit.webhook_url === user.setting.webhook_url;
      user.setting = {
        ...toStored(edit),
        ...((language ?? user.setting.language) && { language: language ?? user.setting.language }),
      };
      if (isWebhook && edit.webhook_secret) {
        user.sealedWebhookSecret = this.secrets.encrypt(WEBHOOK_SECRET, edit.webhook_secret);
      } else if (!isSameHook || edit.webhook_secret === '') user.sealedWebhookSecret = null;
    });
  }

  /**
   * The new password, after the current one was checked. A user without a password proves their identity as for every
   * other sign-in method.
   */
  private async renewable(
    { password = '', original_password: original, code }: SelfEdit,
    id: number,
    { request }: HttpExchange,
  ): Promise<Renewal> {
    const { passwordHash } = await this.users.get(id);
    if (passwordHash === '') await this.owner.again(id, request, { code });
    else await this.ownPassword.check({ id, passwordHash }, original);
    return { checked: passwordHash, next: await hashPassword(password) };
  }

  /** A host name that does not resolve yet is accepted: the address is checked again before each notice is sent. */
  private async checkWebhook(url: string): Promise<void> {
    try {
      await this.outbound.check(url, 'user');
    } catch (error) {
      if (error instanceof AppError) throw error.at('webhook_url');
    }
  }
}

const absent: Required<SeenSetting> = {
  notify_type: null,
  quota_warning_threshold: null,
  webhook_url: null,
  webhook_secret_set: null,
  notification_email: null,
  accept_unset_model_ratio_model: null,
};

/** Throws when another window has saved a change that this one has not seen. */
function refuseUnseen(user: User, expected: SeenSetting | undefined): void {
  const code = 'setting-changed-meanwhile';
  const changed = changedNames({ ...absent, ...toSetting(user) }, expected);
  refuseOverwriting(changed, { code, message: '设置已在别处被修改，请刷新后重试', id: user.id });
}

const toStored = (edit: SettingEdit): StoredSetting => ({
  notify_type: edit.notify_type,
  quota_warning_threshold: edit.quota_warning_threshold,
  accept_unset_model_ratio_model: edit.accept_unset_model_ratio_model,
  ...(edit.notify_type === 'webhook' && { webhook_url: edit.webhook_url }),
  ...(edit.notify_type === 'email' &&
    edit.notification_email !== undefined && { notification_email: addressesIn(edit.notification_email).join(';') }),
});
