import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { isFactorRequired, mustEnrol } from '@tollgate/contracts';
import type { FactorMethod } from '@tollgate/contracts/api/second-factor';
import { AppError, Clock, OptionStore, SecretBox } from '@tollgate/chassis';
import { AttemptLimit } from '../credential/attempt-limit.js';
import type { User } from '../user/user.entity.js';
import { RecoveryCodes } from './recovery-codes.js';
import { totpStep } from './totp.js';

/** Encryption purpose of the secrets of one-time codes. */
export const TOTP_SECRET = 'totp-secret';

/** Which second factors a user has, when they are required, and whether a code is right. */
@Injectable()
export class Factors {
  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly secrets: SecretBox,
    private readonly recovery: RecoveryCodes,
    private readonly attempts: AttemptLimit,
    private readonly clock: Clock,
  ) {}

  isRequired({ role }: Pick<User, 'role'>): boolean {
    return isFactorRequired(this.options.get('SecondFactorRequiredFor'), role);
  }

  mustEnrol(user: User): boolean {
    const { role } = user;
    return mustEnrol(this.options.get('SecondFactorRequiredFor'), { role, secondFactor: user.hasSecondFactor() });
  }

  /**
   * Whether a password or a provider account is not enough for this user. A user with passkeys but no one-time codes
   * can still sign in by password alone, unless the operator requires a second factor; then passkeys count as one.
   */
  isNeededBy(user: User): boolean {
    return user.sealedTotp != null || (user.passkeyCount > 0 && this.isRequired(user));
  }

  async methodsOf(user: User): Promise<FactorMethod[]> {
    const hasCodes = (await this.recovery.left(user.id)) > 0;
    return [
      ...(user.sealedTotp != null ? (['totp'] as const) : []),
      ...(user.passkeyCount > 0 ? (['passkey'] as const) : []),
      ...(hasCodes ? (['recovery'] as const) : []),
    ];
  }

  /**
   * Spends a one-time code or a recovery code. Throws `second-factor-wrong` or `too-many-attempts`; attempts are
   * counted per `place`.
   */
  async spend(user: User, code: string, place: string): Promise<void> {
    await this.attempts.admit('second-factor', String(user.id), place);
    const isRight = (await this.spendTotp(user, code)) || (await this.recovery.spend(user.id, code));
    if (!isRight) throw secondFactorWrong();
    await this.attempts.forget('second-factor', String(user.id), place);
  }

  /** Marks the code as used: of several calls with the same code only one succeeds. */
  private async spendTotp({ id, sealedTotp }: User, code: string): Promise<boolean> {
    if (sealedTotp == null) return false;
    const step = totpStep(this.secrets.decrypt(TOTP_SECRET, sealedTotp), code, this.clock.now());
    if (step === undefined) return false;
    const taken = await this.em.execute<object[]>(
      'update "users" set "totp_step" = ? where "id" = ? and "totp_step" < ? returning "id"',
      [step, id, step],
    );
    return taken.length > 0;
  }
}

export const secondFactorWrong = (): AppError =>
  new AppError('invalid', 'second-factor-wrong', '验证码错误或已使用', { field: 'code' });
