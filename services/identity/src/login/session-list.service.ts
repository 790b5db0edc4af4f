import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { SignIn as SignInReply } from '@tollgate/contracts/api/session';
import { AppError, type Caller, type PlatformRequest, type SessionRecord, SessionStore } from '@tollgate/chassis';
import type { User } from '../user/user.entity.js';
import { denyEdit, refuse } from '../user/user-rules.js';
import { UserStore } from '../user/user-store.js';
import { type HttpExchange, SessionService } from './session.service.js';
import { SignIn } from './sign-in.entity.js';
import { SignIns } from './sign-ins.js';

interface Alive {
  row: SignIn;
  record: SessionRecord;
}

/** Lists and ends the sessions of a user. */
@Injectable()
export class SessionListService {
  constructor(
    private readonly em: EntityManager,
    private readonly store: SessionStore,
    private readonly sessions: SessionService,
    private readonly signIns: SignIns,
    private readonly users: UserStore,
  ) {}

  async ofSelf(userId: number, request: PlatformRequest): Promise<SignInReply[]> {
    return this.list(await this.users.get(userId), await this.sessions.idOf(request));
  }

  async endOfSelf(id: number, userId: number): Promise<void> {
    await this.end(id, userId);
  }

  /**
   * Ends all sessions but the caller's, which is replaced by a new one with a new cookie. Raises the session version,
   * because not every session is listed.
   */
  async endOthers(caller: Caller, exchange: HttpExchange): Promise<void> {
    const user = await this.users.changeOwn(caller, (self) => self.endSessions());
    await this.sessions.broadcastEnd(user.id);
    if (caller.via === 'session') await this.sessions.open(user, exchange);
  }

  async ofUser(id: number, caller: Caller): Promise<SignInReply[]> {
    return this.list(await this.touchable(id, caller), undefined);
  }

  async endOfUser(id: number, userId: number, caller: Caller): Promise<void> {
    await this.touchable(userId, caller);
    await this.end(id, userId);
  }

  /** Raises the session version, so that sessions which are not listed end too. */
  async endAllOfUser(userId: number, caller: Caller): Promise<void> {
    await this.users.change(userId, (user) => {
      checkRank(user, caller);
      user.endSessions();
      return { actorId: caller.userId, action: 'user-end-sessions', subject: `user:${userId}` };
    });
    await this.sessions.broadcastEnd(userId);
  }

  private async touchable(id: number, caller: Caller): Promise<User> {
    const user = await this.users.get(id);
    checkRank(user, caller);
    return user;
  }

  private async list(user: User, current: string | undefined): Promise<SignInReply[]> {
    const rows = await this.em.find(SignIn, { userId: user.id }, { orderBy: { id: 'desc' } });
    const looked = await Promise.all(rows.map(async (row) => ({ row, record: await this.store.find(row.sessionId) })));
    const isAlive = (entry: { row: SignIn; record?: SessionRecord }): entry is Alive =>
      entry.record?.sessionVersion === user.sessionVersion;
    await this.signIns.forget(looked.filter((entry) => !isAlive(entry)).map(({ row }) => row.id));
    return looked.filter(isAlive).map(({ row, record }) => ({
      id: row.id,
      user_agent: row.userAgent,
      address: row.address,
      created_at: record.createdAt,
      last_seen_at: record.renewedAt,
      current: row.sessionId === current,
    }));
  }

  private async end(id: number, userId: number): Promise<void> {
    const row = await this.em.findOne(SignIn, { id, userId });
    if (!row) throw new AppError('not-found', 'session-not-found', '该登录不存在或已结束');
    await this.store.end(row.sessionId);
    await this.signIns.forget([id]);
    await this.sessions.broadcastEnd(userId);
  }
}

/** Everybody may list and end their own sessions. */
function checkRank(user: User, caller: Caller): void {
  if (user.id !== caller.userId) refuse(denyEdit(caller.role, user));
}
