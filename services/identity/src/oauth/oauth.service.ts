import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { OauthAuthorizeQuery, OauthProvider, OauthQuery } from '@tollgate/contracts/api/oauth';
import {
  AppError,
  type Caller,
  Clock,
  Host,
  INVALID_INPUT,
  KeyValue,
  OptionStore,
  ownAddress,
} from '@tollgate/chassis';
import { Factors } from '../factor/factors.js';
import { Entry } from '../login/entry.js';
import { type HttpExchange, SessionService } from '../login/session.service.js';
import { UserStore } from '../user/user-store.js';
import { type OauthVisit, OauthVisits } from './oauth-visits.js';
import type { ProviderAccount, ProviderName } from './provider-account.js';
import { ProviderAccounts, userBanned } from './provider-accounts.js';
import { providerRefused } from './provider-calls.js';
import { GitHub } from './providers/github.js';
import { LinuxDo } from './providers/linuxdo.js';
import { Oidc } from './providers/oidc.js';
import { type TelegramFields, telegramId } from './providers/telegram.js';

const RANDOM_BYTES = 32;
/** Longer than a Telegram signature is accepted, so that a used signature cannot be replayed. */
const SPENT_SECONDS = 10 * 60;

/** The signed-in user, or the request for a second factor. */
type Entered = Awaited<ReturnType<Entry['byProvider']>>;

interface Arrival extends HttpExchange {
  caller?: Caller;
}

/** Signs users in by accounts at identity providers, and binds such accounts to users. */
@Injectable()
export class OauthService {
  constructor(
    private readonly options: OptionStore,
    private readonly host: Host,
    private readonly visits: OauthVisits,
    private readonly accounts: ProviderAccounts,
    private readonly entry: Entry,
    private readonly github: GitHub,
    private readonly linuxdo: LinuxDo,
    private readonly oidc: Oidc,
    private readonly keyValue: KeyValue,
    private readonly clock: Clock,
    private readonly sessions: SessionService,
    private readonly users: UserStore,
    private readonly factors: Factors,
  ) {}

  begin(aff: string, exchange: HttpExchange): Promise<string> {
    return this.visits.begin({ aff }, exchange);
  }

  /**
   * Returns the full authorization URL of the provider. For OIDC the visit also stores a PKCE verifier and a nonce,
   * which tie the callback to this sign-in.
   */
  async authorize({ provider, aff, origin }: OauthAuthorizeQuery, exchange: HttpExchange): Promise<string> {
    this.accounts.assertEnabled(provider);
    if (provider !== 'oidc') {
      const state = await this.visits.begin({ aff }, exchange);
      return provider === 'github' ? this.github.authorizeUrl(state) : this.linuxdo.authorizeUrl(state);
    }
    const visit = {
      aff,
      redirectUri: `${origin ?? ownAddress(this.options, this.host)}/oauth/oidc`,
      verifier: randomBytes(RANDOM_BYTES).toString('base64url'),
      nonce: randomBytes(RANDOM_BYTES).toString('base64url'),
    };
    const state = await this.visits.begin(visit, exchange);
    return this.oidc.authorizeUrl({ state, ...visit });
  }

  /**
   * Binds the account to the caller if one is signed in, and returns `undefined` then. Otherwise signs in its owner or
   * registers a new user.
   */
  async finish(provider: OauthProvider, query: OauthQuery, arrival: Arrival): Promise<Entered | undefined> {
    const visit = await this.visits.finish(query.state, arrival);
    this.accounts.assertEnabled(provider);
    if (query.error !== '') throw providerRefused(query.error_description || `授权被拒绝或已取消（${query.error}）`);
    if (query.code === '') {
      throw new AppError('invalid', 'oauth-code-missing', provider === 'linuxdo' ? 'invalid code' : INVALID_INPUT);
    }
    const account = await this.accountOf(provider, query, { visit, request: arrival.request });
    if (arrival.caller) {
      await this.accounts.bind(provider, account.id, arrival.caller);
      return undefined;
    }
    if (!(await this.accounts.ownerOf(provider, account.id))) await this.refuseToRegister(arrival);
    return this.enter(provider, account, visit.aff, arrival);
  }

  /** Unlike the other providers, Telegram never registers a new user. */
  async enterByTelegram(fields: TelegramFields, exchange: HttpExchange): Promise<Entered> {
    const id = this.telegramId(fields);
    const user = await this.accounts.ownerOf('telegram', id);
    if (!user) throw new AppError('invalid', 'telegram-unbound', '该 Telegram 账户未绑定');
    await this.keepHere(fields, exchange.request.ip);
    await this.spend(fields, 'login');
    return this.entry.byProvider(user, exchange);
  }

  async bindTelegram(fields: TelegramFields, caller: Caller, address: string): Promise<void> {
    const id = this.telegramId(fields);
    const isBound = await this.accounts.isBoundTo('telegram', id, caller.userId);
    await this.keepHere(fields, address);
    if (isBound) return;
    await this.spend(fields, 'bind');
    await this.accounts.bind('telegram', id, caller);
  }

  /** Signs in the owner of the provider account; registers a new user if it has no owner. */
  async enter(provider: ProviderName, account: ProviderAccount, aff: string, exchange: HttpExchange): Promise<Entered> {
    const owner = await this.accounts.ownerOf(provider, account.id);
    return this.entry.byProvider(owner ?? (await this.accounts.register(provider, account, aff)), exchange);
  }

  /**
   * A banned user, or someone signed in without the required second factor, counts as a visitor here, but meant to bind
   * the account, not to register with it. A ban ends sessions, so their version says nothing about it.
   */
  private async refuseToRegister({ request }: HttpExchange): Promise<void> {
    const session = await this.sessions.of(request);
    const user = session && (await this.users.find(session.userId));
    if (!user) return;
    if (!user.isEnabled()) throw userBanned();
    if (user.sessionVersion !== session.sessionVersion || !this.factors.mustEnrol(user)) return;
    throw new AppError('forbidden', 'second-factor-required', '管理员要求启用两步验证，请先完成设置');
  }

  private accountOf(
    provider: OauthProvider,
    { code, iss, state }: OauthQuery,
    { visit, request }: { visit: OauthVisit; request: HttpExchange['request'] },
  ): Promise<ProviderAccount> {
    if (provider === 'github') return this.github.accountOf(code);
    if (provider === 'linuxdo') return this.linuxdo.accountOf(code, `${request.protocol}://${request.host}`);
    const { redirectUri = `${ownAddress(this.options, this.host)}/oauth/oidc`, verifier, nonce } = visit;
    return this.oidc.accountOf(code, iss, { state, redirectUri, verifier, nonce });
  }

  private telegramId(fields: TelegramFields): string {
    this.accounts.assertEnabled('telegram');
    const id = telegramId(fields, this.options.get('TelegramBotToken'), this.clock.seconds());
    if (id === undefined) throw telegramInvalid();
    return id;
  }

  /**
   * Ties a Telegram signature to the client address that first used it, so that a signature copied from an address bar
   * is useless elsewhere. Called after all other checks: a request that was refused does not use the signature up.
   */
  private async keepHere({ hash }: TelegramFields, address: string): Promise<void> {
    const key = `telegram:${hash}`;
    if (await this.keyValue.setIfAbsent(key, address, SPENT_SECONDS)) return;
    if ((await this.keyValue.get(key)) !== address) throw telegramInvalid();
  }

  /** A signature can sign in once and bind once. */
  private async spend({ hash }: TelegramFields, use: 'login' | 'bind'): Promise<void> {
    if (!(await this.keyValue.setIfAbsent(`telegram:${hash}:${use}`, '1', SPENT_SECONDS))) throw telegramInvalid();
  }
}

const telegramInvalid = (): AppError => new AppError('invalid', 'telegram-invalid', '无效的请求');
