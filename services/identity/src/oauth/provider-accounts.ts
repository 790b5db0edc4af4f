import { randomInt } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { emailField } from '@tollgate/contracts/api/verification';
import { AppError, OptionStore } from '@tollgate/chassis';
import { TrustedSettings } from '../option/trusted-settings.js';
import { User, usernameKeyOf } from '../user/user.entity.js';
import { isTaken } from '../user/user.queries.js';
import { isBindingTaken, type Self, UserStore } from '../user/user-store.js';
import { isAllowedAddress } from '../verification/email-rules.js';
import { WalletsClient } from '../user/wallets.client.js';
import { displayNameFrom, numberedName, usernameFrom, withSuffix } from './new-name.js';
import { type ProviderAccount, type ProviderName, providerRows } from './provider-account.js';

const ATTEMPTS = 5;
const digits = (count: number): string => String(randomInt(10 ** count)).padStart(count, '0');

/** Provider accounts and the users they are bound to. */
@Injectable()
export class ProviderAccounts {
  constructor(
    private readonly em: EntityManager,
    private readonly options: OptionStore,
    private readonly users: UserStore,
    private readonly wallets: WalletsClient,
    private readonly trusted: TrustedSettings,
  ) {}

  assertEnabled(provider: ProviderName): void {
    const { option, off } = providerRows[provider];
    if (!this.options.get(option)) throw new AppError('forbidden', 'provider-off', off, { params: { provider } });
  }

  /** Replaces an account of the same provider that the user had bound before. */
  async bind(provider: ProviderName, id: string, self: Self): Promise<void> {
    if (await this.isBoundTo(provider, id, self.userId)) return;
    try {
      await this.users.changeOwn(self, (user) => {
        user[providerRows[provider].binding] = id;
      });
    } catch (error) {
      throw isBindingTaken(error) ? takenBy(provider) : error;
    }
  }

  /** Whether this account is already bound to the user. Throws `binding-taken` when it is bound to another user. */
  async isBoundTo(provider: ProviderName, id: string, userId: number): Promise<boolean> {
    const owner = await this.em.findOne(User, { [providerRows[provider].binding]: id }, { fields: ['id'] });
    if (owner && owner.id !== userId) throw takenBy(provider);
    return owner !== null;
  }

  /** The user to whom the account is bound, or `undefined`. Throws for deleted and banned users. */
  async ownerOf(provider: ProviderName, id: string): Promise<User | undefined> {
    const user = await this.em.findOne(User, { [providerRows[provider].binding]: id }, { refresh: true });
    if (!user) return undefined;
    if (user.deletedAt) throw new AppError('forbidden', 'user-deleted', '用户已注销');
    if (!user.isEnabled()) throw userBanned();
    await this.assertVouched(provider, user);
    return user;
  }

  /**
   * Throws unless the provider's settings can be trusted for this user. GitHub and LinuxDO have fixed addresses; the
   * other providers answer at addresses (or use secrets) that an administrator can change.
   */
  private async assertVouched(provider: ProviderName, user: User): Promise<void> {
    if (provider === 'github' || provider === 'linuxdo' || (await this.trusted.mayVouchFor(provider, user))) return;
    throw new AppError(
      'forbidden',
      'provider-not-trusted',
      '该登录方式的设置被其他管理员修改过，管理员账户请用其他方式登录，并请超级管理员重新保存这些设置',
      { params: { provider } },
    );
  }

  /** Creates a user for the account, if registration is open. */
  async register(provider: ProviderName, account: ProviderAccount, aff: string): Promise<User> {
    if (!this.options.get('RegisterEnabled') || this.options.get('SelfUseModeEnabled')) {
      throw new AppError('forbidden', 'registration-closed', '管理员关闭了新用户注册');
    }
    const { binding, displayName } = providerRows[provider];
    const inviterId = await this.wallets.inviterOf(aff === '' ? undefined : aff);
    let email = await this.freeEmail(account.email);
    for (let attempt = 0, namesTaken = 0; ; attempt += 1) {
      const username = await this.freeName(provider, account.username, namesTaken);
      try {
        const user = await this.users.create({
          username,
          displayName: displayNameFrom(account.displayName, displayName),
          passwordHash: '',
          email,
          inviterId,
          bindings: { [binding]: account.id },
          kind: 'oauth',
        });
        await this.wallets.open(user.id, 'oauth', inviterId);
        return user;
      } catch (error) {
        // A callback in another tab may have created the user in the meantime.
        const owner = isBindingTaken(error) ? await this.ownerOf(provider, account.id) : undefined;
        if (owner) return owner;
        const taken = error instanceof AppError && attempt < ATTEMPTS ? error.code : '';
        if (taken === 'username-taken') namesTaken += 1;
        else if (taken === 'email-taken') email = '';
        else throw error;
      }
    }
  }

  private async freeName(provider: ProviderName, wanted: string | undefined, taken: number): Promise<string> {
    const name = usernameFrom(wanted) ?? numberedName(provider, await this.nextId());
    const isFree = taken === 0 && !(await isTaken(this.em, { usernameKey: usernameKeyOf(name) }));
    return isFree ? name : withSuffix(name, digits);
  }

  /** The probable id of the next user. */
  private async nextId(): Promise<number> {
    const [row] = await this.em.execute<{ next: number }[]>('select coalesce(max("id"), 0) + 1 as "next" from "users"');
    return row?.next ?? 1;
  }

  /** The email address for a new user, or '' when it is none, another user has it, or the operator's rules do not allow it. */
  private async freeEmail(email: string | undefined): Promise<string> {
    const { data: key } = emailField.safeParse(email);
    if (key === undefined || !isAllowedAddress(key, this.options)) return '';
    return (await isTaken(this.em, { email: key })) ? '' : key;
  }
}

const takenBy = (provider: ProviderName): AppError =>
  new AppError('conflict', 'binding-taken', providerRows[provider].taken, { params: { provider } });

export const userBanned = (): AppError => new AppError('forbidden', 'user-banned', '用户已被封禁');
