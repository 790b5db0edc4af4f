import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { FactorStatus, TotpSetup } from '@tollgate/contracts/api/second-factor';
import { AppError, Clock, KeyValue, OptionStore, SecretBox } from '@tollgate/chassis';
import { toString as drawQrCode } from 'qrcode';
import { AttemptLimit } from '../credential/attempt-limit.js';
import { Factors, secondFactorWrong, TOTP_SECRET } from '../factor/factors.js';
import { RecoveryCodes } from '../factor/recovery-codes.js';
import { newTotpSecret, otpauthUrl, totpStep } from '../factor/totp.js';
import type { User } from '../user/user.entity.js';
import { type Self, UserStore } from '../user/user-store.js';

const SETUP_SECONDS = 10 * 60;
const setupKey = (userId: number): string => `totp-setup:${userId}`;
const OWN = 'enrolment';

/** Sets up and removes one-time codes of an authenticator app, with their recovery codes. */
@Injectable()
export class TotpEnrolment {
  constructor(
    private readonly em: EntityManager,
    private readonly users: UserStore,
    private readonly factors: Factors,
    private readonly recovery: RecoveryCodes,
    private readonly attempts: AttemptLimit,
    private readonly options: OptionStore,
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  async status(userId: number): Promise<FactorStatus> {
    const user = await this.users.get(userId);
    return {
      totp: user.sealedTotp != null,
      passkeys: user.passkeyCount,
      recovery_codes: await this.recovery.left(userId),
      required: this.factors.isRequired(user),
    };
  }

  /**
   * Returns a new secret, which is kept encrypted until its first code is confirmed. The account does not change yet; a
   * later call replaces the secret.
   */
  async begin(userId: number): Promise<TotpSetup> {
    const user = await this.users.get(userId);
    refuseSecond(user);
    const secret = newTotpSecret();
    await this.keyValue.set(setupKey(userId), this.secrets.encrypt(TOTP_SECRET, secret), SETUP_SECONDS);
    const url = otpauthUrl(secret, this.options.get('SystemName'), user.username);
    return { secret, otpauth_url: url, qr_code: await drawQrCode(url, { type: 'svg', margin: 2 }) };
  }

  /** The code also counts as used, so that it cannot be used to sign in. */
  async confirm(self: Self, code: string): Promise<string[]> {
    const { userId } = self;
    await this.attempts.admit('second-factor', String(userId), OWN);
    const sealed = await this.keyValue.get(setupKey(userId));
    if (sealed === undefined) throw new AppError('invalid', 'totp-setup-over', '设置已过期，请重新开始');
    const step = totpStep(this.secrets.decrypt(TOTP_SECRET, sealed), code, this.clock.now());
    if (step === undefined) throw secondFactorWrong();
    return this.em.transactional(async () => {
      await this.users.changeOwn(self, (user) => {
        refuseSecond(user);
        user.sealedTotp = sealed;
        user.totpStep = step;
      });
      await this.keyValue.delete(setupKey(userId));
      await this.attempts.forget('second-factor', String(userId), OWN);
      return this.recovery.replace(userId);
    });
  }

  /** The caller has checked the password. Also removes the recovery codes if no second factor is left. */
  async end(userId: number, code: string): Promise<void> {
    const user = await this.users.get(userId);
    if (user.sealedTotp == null) throw new AppError('invalid', 'totp-not-set', '尚未启用两步验证');
    await this.factors.spend(user, code, OWN);
    await this.em.transactional(async () => {
      const changed = await this.users.change(userId, (own) => {
        own.sealedTotp = null;
        own.totpStep = 0;
      });
      if (!changed.hasSecondFactor()) await this.recovery.forget(userId);
    });
  }

  async renewRecoveryCodes(self: Self): Promise<string[]> {
    return this.em.transactional(async () => {
      // Locks the user, so that of two concurrent calls only the codes of one are kept.
      const user = await this.users.changeOwn(self, () => undefined);
      if (!user.hasSecondFactor()) throw new AppError('invalid', 'totp-not-set', '尚未启用两步验证');
      return this.recovery.replace(user.id);
    });
  }
}

function refuseSecond({ sealedTotp }: User): void {
  if (sealedTotp != null) throw new AppError('conflict', 'totp-set-already', '两步验证已启用，如需更换请先停用');
}
