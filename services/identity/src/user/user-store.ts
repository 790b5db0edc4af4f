import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, type EventOf, Role, userChanged, userErased, userRegistered } from '@tollgate/contracts';
import { AppError, type Caller } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { nextRevision } from '../revision/revisions.js';
import { type Binding, User, usernameKeyOf } from './user.entity.js';

export type AdminAction = EventOf<typeof adminAction>['data'];
type RegistrationKind = EventOf<typeof userRegistered>['data']['kind'];

interface NewUser {
  username: string;
  displayName?: string;
  passwordHash: string;
  role?: Role;
  email?: string;
  inviterId?: number;
  bindings?: Partial<Pick<User, Binding>>;
  kind: RegistrationKind;
}

/** A user who makes a change of their own. */
export type Self = Pick<Caller, 'userId' | 'sessionVersion'>;

type Apply = (user: User) => AdminAction | undefined | void | Promise<AdminAction | undefined | void>;

/** The only writer of users: each change takes a revision and adds its events to the outbox in the same transaction. */
@Injectable()
export class UserStore {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
  ) {}

  find(id: number): Promise<User | null> {
    return this.em.findOne(User, { id, deletedAt: null });
  }

  /** Throws when the user is unknown or deleted. */
  async get(id: number): Promise<User> {
    const user = await this.find(id);
    if (!user) throw userNotFound(id);
    return user;
  }

  /**
   * Applies one change to a locked user. `apply` may throw to refuse the change; the action it returns goes to the
   * audit log. Throws when a new name, address or binding is taken.
   */
  async change(id: number, apply: Apply): Promise<User> {
    return refusingTaken(() =>
      this.em.transactional(async (em) => {
        const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true };
        const user = await em.findOne(User, { id, deletedAt: null }, lock);
        if (!user) throw userNotFound(id);
        const action = await apply(user);
        await this.stamp(em, user);
        await this.outbox.add(userChanged, { userId: id, revision: user.revision });
        if (action) await this.outbox.add(adminAction, action);
        return user;
      }),
    );
  }

  /**
   * A change that users make themselves. Throws `not-signed-in` when their sessions have ended since the request was
   * admitted: a session, token or way to sign in that it adds would outlive the end, e.g. the reset of a password that
   * somebody else knew.
   */
  changeOwn({ userId, sessionVersion }: Self, apply: Apply): Promise<User> {
    return this.change(userId, (user) => {
      if (sessionVersion !== undefined && sessionVersion !== user.sessionVersion) throw notSignedIn();
      return apply(user);
    });
  }

  /**
   * Removes everything that names a person from the row, deleted or not, and publishes the event. `judge` may throw to
   * refuse; `forget` deletes the user's rows in other tables of identity. Returns false, and changes nothing, when the
   * user was erased before.
   */
  async erase(
    id: number,
    judge: (user: User) => AdminAction,
    { at, forget }: { at: Date; forget: (user: User) => Promise<void> },
  ): Promise<boolean> {
    return this.em.transactional(async (em) => {
      const user = await em.findOne(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
      if (!user) throw userNotFound(id);
      const action = judge(user);
      if (user.erasedAt) return false;
      await forget(user);
      user.erase(at);
      await this.stamp(em, user);
      await this.outbox.add(userChanged, { userId: id, revision: user.revision });
      await this.outbox.add(userErased, { userId: id, pseudonym: user.username });
      await this.outbox.add(adminAction, action);
      return true;
    });
  }

  /** Joins the caller's transaction if there is one. */
  async create(newUser: NewUser, audit?: (user: User) => AdminAction): Promise<User> {
    const { username, kind, inviterId = 0 } = newUser;
    return refusingTaken(() =>
      this.em.transactional(async (em) => {
        const user = em.create(User, {
          username,
          usernameKey: usernameKeyOf(username),
          displayName: newUser.displayName ?? username,
          passwordHash: newUser.passwordHash,
          role: newUser.role ?? Role.user,
          email: newUser.email ?? '',
          inviterId,
          ...newUser.bindings,
          setting: {},
        });
        await this.stamp(em, user);
        await this.outbox.add(userRegistered, { userId: user.id, inviterId, kind });
        if (audit) await this.outbox.add(adminAction, audit(user));
        return user;
      }),
    );
  }

  /**
   * Flushes first, because a write of a unique name may wait for another transaction, and takes the lock of the
   * revision after that.
   */
  private async stamp(em: EntityManager, user: User): Promise<void> {
    await em.flush();
    user.revision = await nextRevision(em, 'user');
    await em.flush();
  }
}

export const ADDRESS_TAKEN = '邮箱地址已被占用';

const userNotFound = (id: number): AppError =>
  new AppError('not-found', 'user-not-found', '用户不存在', { params: { id } });

const notSignedIn = (): AppError =>
  new AppError('unauthenticated', 'not-signed-in', '无权进行此操作，未登录且未提供 access token');

export const usernameTaken = (): AppError =>
  new AppError('conflict', 'username-taken', '用户名已存在，或已注销', { field: 'username' });

/** Whether a write failed because another user has this provider account. */
export const isBindingTaken = (error: unknown): boolean =>
  error instanceof UniqueConstraintViolationException &&
  /users_(github|oidc|wechat|telegram|linux_do)_id_unique/.test(error.message);

async function refusingTaken<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    if (error.message.includes('users_email_unique')) {
      throw new AppError('conflict', 'email-taken', ADDRESS_TAKEN, { field: 'email', cause: error });
    }
    if (error.message.includes('users_username_key_unique')) throw usernameTaken();
    throw error;
  }
}
