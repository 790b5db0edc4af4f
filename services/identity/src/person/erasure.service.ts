import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { EraseUser } from '@tollgate/contracts/api/person';
import { AppError, type Caller, Clock } from '@tollgate/chassis';
import { Delivery } from '../delivery/delivery.entity.js';
import { OwnerCheck } from '../enrolment/owner-check.js';
import { Passkey } from '../factor/passkey.entity.js';
import { RecoveryCode } from '../factor/recovery-code.entity.js';
import { type HttpExchange, SessionService } from '../login/session.service.js';
import { SignIn } from '../login/sign-in.entity.js';
import { addressesIn, type User } from '../user/user.entity.js';
import { denyErase, denyOwnDeletion, refuse } from '../user/user-rules.js';
import { type AdminAction, UserStore } from '../user/user-store.js';

/**
 * Erases everything that names a person. Identity's own rows are deleted in one transaction with the event that makes
 * the other services erase theirs. Bookings are kept under the pseudonym.
 */
@Injectable()
export class ErasureService {
  constructor(
    private readonly em: EntityManager,
    private readonly users: UserStore,
    private readonly sessions: SessionService,
    private readonly owner: OwnerCheck,
    private readonly clock: Clock,
  ) {}

  /**
   * Allowed for callers who rank above the user, also when the user was deleted before. A repetition changes nothing.
   */
  async erase(id: number, { username }: EraseUser, caller: Caller): Promise<void> {
    await this.apply(id, caller.userId, (user) => {
      refuse(denyErase(caller.role, user));
      checkName(user, username);
    });
  }

  /** Requires the password or a second factor, like every removal of a way to sign in. */
  async eraseSelf({ username, ...given }: EraseUser, { userId }: Caller, exchange: HttpExchange): Promise<void> {
    await this.owner.again(userId, exchange.request, given);
    await this.apply(userId, userId, (user) => {
      refuse(denyOwnDeletion(user.role));
      checkName(user, username);
    });
    await this.sessions.close(exchange);
  }

  private async apply(id: number, actorId: number, judge: (user: User) => void): Promise<void> {
    const judged = (user: User): AdminAction => {
      judge(user);
      return { actorId, action: 'user-erase', subject: `user:${id}` };
    };
    const at = new Date(this.clock.now());
    const isNew = await this.users.erase(id, judged, { at, forget: (user) => this.forget(user) });
    if (isNew) await this.sessions.broadcastEnd(id);
  }

  /**
   * Verification codes are mailed to addresses that no user has yet, so those deliveries have no user id and are found
   * by address.
   */
  private async forget({ id: userId, email, setting }: User): Promise<void> {
    await this.em.nativeDelete(Passkey, { userId });
    await this.em.nativeDelete(RecoveryCode, { userId });
    await this.em.nativeDelete(SignIn, { userId });
    const addresses = [email, setting.notification_email].flatMap(addressesIn);
    await this.em.nativeDelete(Delivery, {
      $or: [{ userId }, { userId: null, via: 'mail', target: { $in: addresses } }],
    });
  }
}

function checkName({ username, erasedAt }: User, typed: string | undefined): void {
  if (erasedAt || typed === undefined || typed === username) return;
  throw new AppError('invalid', 'erasure-not-confirmed', '输入的用户名与该用户不一致', { field: 'username' });
}
