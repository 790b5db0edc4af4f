import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Page, Role } from '@tollgate/contracts';
import type {
  createUserSchema,
  ManagedUser,
  ManageUser,
  manageUserSchema,
  updateUserSchema,
  User as UserReply,
  UserAction,
  UserListQuery,
} from '@tollgate/contracts/api/user';
import { AppError, type Caller, changedNames, Clock, refuseOverwriting } from '@tollgate/chassis';
import { toPage } from '@tollgate/database';
import type { z } from 'zod';
import { hashPassword } from '../credential/password.js';
import { User } from './user.entity.js';
import { findUserPage } from './user.queries.js';
import { type KeyedCommand, KeyedCommands } from './keyed-commands.js';
import { OwnPassword, type Renewal, renewPassword } from './own-password.js';
import { refuseLongName, rename } from './rename.js';
import { toUserReply } from './user.reply.js';
import { denyCreate, denyDelete, denyEdit, denyManage, denyView, refuse } from './user-rules.js';
import { type AdminAction, UserStore } from './user-store.js';
import { WalletsClient } from './wallets.client.js';

type Creation = z.output<typeof createUserSchema>;
type Edit = z.output<typeof updateUserSchema>;
type Management = z.output<typeof manageUserSchema>;

/** User management by administrators. Ranks are checked against the target's role as it is once the row is locked. */
@Injectable()
export class UserAdministrationService {
  constructor(
    private readonly em: EntityManager,
    private readonly users: UserStore,
    private readonly wallets: WalletsClient,
    private readonly keyed: KeyedCommands,
    private readonly ownPassword: OwnPassword,
    private readonly clock: Clock,
  ) {}

  async list(query: UserListQuery): Promise<Page<UserReply>> {
    const [users, total] = await findUserPage(this.em, query);
    const balanceOf = await this.wallets.balancesOf(users.map(({ id }) => id));
    return toPage(users, total, query, (user) => toUserReply(user, balanceOf(user.id)));
  }

  async get(id: number, caller: Caller): Promise<UserReply> {
    const user = await this.users.get(id);
    refuse(denyView(caller.role, user));
    const balanceOf = await this.wallets.balancesOf([id]);
    return toUserReply(user, balanceOf(id));
  }

  async create({ username, password, display_name: displayName, role }: Creation, caller: Caller): Promise<User> {
    refuse(denyCreate(caller.role, role ?? Role.user));
    const newUser = { username, displayName, passwordHash: await hashPassword(password), kind: 'admin' } as const;
    const user = await this.users.create(newUser, ({ id }) => action('create', id, caller, { after: { username } }));
    await this.wallets.open(user.id, 'admin');
    return user;
  }

  /** Takes effect once per `Idempotency-Key`, if there is one; a repetition changes nothing and gets the same reply. */
  async edit(edit: Edit, caller: Caller, key?: string): Promise<void> {
    const command = await this.keyed.of(key, caller.userId, edit);
    if (command && (await this.keyed.wasDone(command))) return;
    await this.apply(edit, caller, command);
    if (command) await this.keyed.noteDone(command);
  }

  /**
   * Changes only the fields that are there. The wallet belongs to billing, so its change is a separate command, sent
   * after the other changes are committed.
   */
  private async apply(edit: Edit, caller: Caller, command: KeyedCommand | undefined): Promise<void> {
    if (edit.quota !== undefined && edit.quota_delta !== undefined) {
      throw new AppError('invalid', 'quota-ambiguous', '无效的参数');
    }
    const renewal = await this.renewalOf(edit, caller);
    await this.requestQuotaApproval(edit, caller, command);
    await this.users.change(edit.id, (user) => {
      // Input is checked before ranks, as everywhere; only this check needs the user.
      refuseLongName(user, edit.username);
      refuse(denyEdit(caller.role, user, edit.role));
      refuseUnseen(user, edit);
      const isChanged = changesProfile(user, edit);
      const before = profileOf(user);
      rename(user, edit.username);
      user.displayName = edit.display_name ?? user.displayName;
      user.group = edit.group ?? user.group;
      if (renewal) renewPassword(user, renewal);
      const after = { ...profileOf(user), ...(renewal && { passwordChanged: true }) };
      // A change of the balance alone is audited by billing.
      return isChanged ? action('update', user.id, caller, { before, after }) : undefined;
    });
    const change = adjustmentOf(edit, caller, command);
    if (change) await this.wallets.adjust(change);
  }

  /** The new password. Super administrators can edit themselves, and must know the password that they replace then. */
  private async renewalOf(edit: Edit, caller: Caller): Promise<Renewal | undefined> {
    if (edit.password === undefined) return undefined;
    if (edit.id !== caller.userId) return { next: await hashPassword(edit.password) };
    const user = await this.users.get(edit.id);
    // Before the password, so that a refused edit is no guess at it.
    refuse(denyEdit(caller.role, user, edit.role));
    const { passwordHash: checked } = user;
    await this.ownPassword.check({ id: edit.id, passwordHash: checked }, edit.original_password);
    return { checked, next: await hashPassword(edit.password) };
  }

  async delete(id: number, caller: Caller): Promise<void> {
    await this.users.change(id, (user) => {
      refuse(denyDelete(caller.role, user));
      const before = { ...profileOf(user), role: user.role, status: user.status };
      user.cancel(new Date(this.clock.now()));
      return action('delete', id, caller, { before });
    });
  }

  async manage({ id, action: name }: Management, caller: Caller): Promise<ManagedUser> {
    const user = await this.users.change(id, (target) => {
      refuse(denyManage(caller.role, target, name));
      const before = { role: target.role, status: target.status };
      this.effects[name](target);
      const after = { role: target.role, status: target.status };
      // Deleting changes neither of the two.
      const isChanged = name === 'delete' || after.role !== before.role || after.status !== before.status;
      return isChanged ? action(name, id, caller, { before, after }) : undefined;
    });
    return { role: user.role, status: user.status };
  }

  private readonly effects: Record<UserAction, (user: User) => void> = {
    promote: (user) => user.assignRole(Role.admin),
    demote: (user) => user.assignRole(Role.user),
    enable: (user) => user.enable(),
    disable: (user) => user.ban(),
    delete: (user) => user.cancel(new Date(this.clock.now())),
  };

  /**
   * Checks with billing, before anything is saved, whether the change of the balance needs an approval. If so, this
   * throws and nothing of the edit is saved.
   */
  private async requestQuotaApproval(edit: Edit, caller: Caller, command: KeyedCommand | undefined): Promise<void> {
    const change = adjustmentOf(edit, caller, command);
    if (!change) return;
    const user = await this.users.get(edit.id);
    refuse(denyEdit(caller.role, user, edit.role));
    refuseUnseen(user, edit);
    try {
      await this.wallets.requestApproval(change);
    } catch (error) {
      const isHalf = error instanceof AppError && error.code === 'approval-required' && changesProfile(user, edit);
      throw isHalf ? new AppError(error.kind, error.code, `${error.message}；其他修改未保存`, error.details) : error;
    }
  }
}

function adjustmentOf(
  { id, quota, quota_delta: delta, reason }: Edit,
  caller: Caller,
  command: KeyedCommand | undefined,
): Parameters<WalletsClient['adjust']>[0] | undefined {
  if (quota === undefined && delta === undefined) return undefined;
  const named = command
    ? { ...nameOf(command), former: command.others.map(nameOf) }
    : { commandId: `user-quota:${caller.requestId}` };
  return { userId: id, quota, delta, actorId: caller.userId, reason, ...named };
}

const nameOf = ({ id, fingerprint }: Pick<KeyedCommand, 'id' | 'fingerprint'>) => ({ commandId: id, fingerprint });

/**
 * Throws when somebody else has changed a field since the caller read it. A field that already has the wanted value is
 * no conflict: a previous attempt of this command may have written it before it crashed.
 */
function refuseUnseen({ id, username, displayName, group }: User, edit: Edit): void {
  const now = { username, display_name: displayName, group };
  const wanted: Record<string, unknown> = { ...edit };
  const changed = changedNames(now, edit.expected).filter((name) => wanted[name] !== now[name as keyof typeof now]);
  const message = '该用户已被他人修改，请刷新后重试';
  refuseOverwriting(changed, { code: 'user-changed-meanwhile', message, id });
}

const changesProfile = (user: User, { username, display_name: displayName, group, password }: Edit): boolean =>
  password !== undefined ||
  (username ?? user.username) !== user.username ||
  (displayName ?? user.displayName) !== user.displayName ||
  (group ?? user.group) !== user.group;

const profileOf = ({ username, displayName, group }: User): Record<string, unknown> => ({
  username,
  displayName,
  group,
});

const action = (
  name: 'create' | 'update' | ManageUser['action'],
  userId: number,
  caller: Caller,
  change: Pick<AdminAction, 'before' | 'after'>,
): AdminAction => ({ actorId: caller.userId, action: `user-${name}`, subject: `user:${userId}`, ...change });
