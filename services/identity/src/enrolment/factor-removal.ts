import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AppError, type Caller } from '@tollgate/chassis';
import { Passkey } from '../factor/passkey.entity.js';
import { RecoveryCodes } from '../factor/recovery-codes.js';
import { SessionService } from '../login/session.service.js';
import { denyFactorRemoval, refuse } from '../user/user-rules.js';
import { UserStore } from '../user/user-store.js';

/** Helps users who have lost authenticator app, passkeys and recovery codes. */
@Injectable()
export class FactorRemoval {
  constructor(
    private readonly em: EntityManager,
    private readonly users: UserStore,
    private readonly recovery: RecoveryCodes,
    private readonly sessions: SessionService,
  ) {}

  /** Allowed for users of a lower rank only. Ends every session. */
  async remove(userId: number, caller: Caller): Promise<void> {
    await this.em.transactional(async (em) => {
      await this.users.change(userId, (user) => {
        refuse(denyFactorRemoval(caller.role, user));
        if (!user.hasSecondFactor()) throw new AppError('invalid', 'totp-not-set', '该用户未启用两步验证');
        const before = { totp: user.sealedTotp != null, passkeys: user.passkeyCount };
        user.sealedTotp = null;
        user.totpStep = 0;
        user.passkeyCount = 0;
        user.endSessions();
        return { actorId: caller.userId, action: 'user-remove-factors', subject: `user:${userId}`, before };
      });
      await em.nativeDelete(Passkey, { userId });
      await this.recovery.forget(userId);
    });
    await this.sessions.broadcastEnd(userId);
  }
}
