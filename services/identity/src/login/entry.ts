import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { passkeyLoginSchema, SecondStep } from '@tollgate/contracts/api/second-factor';
import type { SessionUser } from '@tollgate/contracts/api/user';
import {
  AppError,
  Host,
  isSecure,
  KeyValue,
  Message,
  networkOf,
  OptionStore,
  readSessionCookie,
  sessionCookies,
  SessionStore,
} from '@tollgate/chassis';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { Factors } from '../factor/factors.js';
import { Passkeys, refused } from '../factor/passkeys.js';
import type { User } from '../user/user.entity.js';
import { toSessionUser } from '../user/user.reply.js';
import { UserStore } from '../user/user-store.js';
import { KnownAddresses } from './known-addresses.js';
import { type HttpExchange, SessionService } from './session.service.js';

const pendingSchema = z.object({ id: z.string(), userId: z.int(), sessionVersion: z.int() });
type Pending = z.infer<typeof pendingSchema>;

const passkeyRequestSchema = z.object({ challenge: z.string(), userId: z.int().optional() });

/** Attributes of the visit, in the session store. */
const PENDING = 'second-step';
const PASSKEY_REQUEST = 'passkey-login';
/** Attempts at the second step after one entry of the password; the limit per account lasts longer. */
const MOST_GUESSES = 5;
const STEP_SECONDS = 10 * 60;

/** Last part of every sign-in: opens a session, or first asks users who have a second factor for it. */
@Injectable()
export class Entry {
  constructor(
    private readonly store: SessionStore,
    private readonly sessions: SessionService,
    private readonly known: KnownAddresses,
    private readonly factors: Factors,
    private readonly passkeys: Passkeys,
    private readonly users: UserStore,
    private readonly options: OptionStore,
    private readonly keyValue: KeyValue,
    private readonly host: Host,
  ) {}

  byPassword(user: User, exchange: HttpExchange): Promise<SessionUser | Message<SecondStep>> {
    return this.factors.isNeededBy(user) ? this.requestSecondFactor(user, exchange) : this.open(user, exchange);
  }

  /** The operator can let a provider's sign-in count as both factors. */
  byProvider(user: User, exchange: HttpExchange): Promise<SessionUser | Message<SecondStep>> {
    const needsFactor = this.options.get('SecondFactorAfterProviders') && this.factors.isNeededBy(user);
    return needsFactor ? this.requestSecondFactor(user, exchange) : this.open(user, exchange);
  }

  /** The second step that is pending in this browser. Throws `second-step-over`. */
  async pendingStep(exchange: HttpExchange): Promise<SecondStep> {
    const { user } = await this.pending(exchange);
    return { require_2fa: true, methods: await this.factors.methodsOf(user) };
  }

  async finishByCode(code: string, exchange: HttpExchange): Promise<SessionUser> {
    const { pending, user } = await this.pending(exchange);
    const guesses = await this.keyValue.increment(`second-step:${pending.id}`, 1, STEP_SECONDS);
    if (guesses > MOST_GUESSES) {
      await this.store.take(cookieOf(exchange) ?? '', PENDING);
      throw stepOver();
    }
    const { ip } = exchange.request;
    const place = (await this.known.has(user.id, ip)) ? networkOf(ip) : 'strangers';
    await this.factors.spend(user, code, place);
    await this.spendPending(pending, exchange);
    return this.open(user, exchange);
  }

  /** Options for a passkey: of the user at the pending second step, otherwise of any user. */
  async requestPasskey(exchange: HttpExchange, secondStep: boolean): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const userId = secondStep ? (await this.pending(exchange)).user.id : undefined;
    const options = await this.passkeys.requestOptions(userId);
    await this.keep(cookieOf(exchange), PASSKEY_REQUEST, { challenge: options.challenge, userId }, exchange);
    return options;
  }

  /** A passkey includes user verification (fingerprint, face or PIN), so it counts as two factors. */
  async finishByPasskey(
    { response }: z.output<typeof passkeyLoginSchema>,
    exchange: HttpExchange,
  ): Promise<SessionUser> {
    const kept = await this.store.take(cookieOf(exchange) ?? '', PASSKEY_REQUEST);
    const passkeyRequest = kept === undefined ? undefined : passkeyRequestSchema.parse(JSON.parse(kept));
    if (!passkeyRequest) throw new AppError('invalid', 'passkey-expired', '通行密钥请求已过期，请重试');
    const step = passkeyRequest.userId === undefined ? undefined : await this.pending(exchange);
    const ownerId = await this.passkeys.ownerOf(response, passkeyRequest.challenge);
    if (step && step.user.id !== ownerId) throw refused();
    const user = await this.users.find(ownerId);
    if (!user?.isEnabled()) throw refused();
    if (step) await this.spendPending(step.pending, exchange);
    return this.open(user, exchange);
  }

  private async open(user: User, exchange: HttpExchange): Promise<SessionUser> {
    await this.sessions.open(user, exchange);
    await this.known.add(user.id, exchange.request.ip);
    return toSessionUser(user);
  }

  private async requestSecondFactor(user: User, exchange: HttpExchange): Promise<Message<SecondStep>> {
    const { id: userId, sessionVersion } = user;
    await this.sessions.revokeCurrent(exchange.request);
    // Uses a new visit, so that a cookie planted before the sign-in gives no access to this step.
    const pending = { id: randomUUID(), userId, sessionVersion } satisfies Pending;
    await this.keep(undefined, PENDING, pending, exchange);
    return new Message('请完成两步验证', { require_2fa: true, methods: await this.factors.methodsOf(user) });
  }

  /** Throws when the user was banned or got a new password in the meantime, which end the step like a session. */
  private async pending(exchange: HttpExchange): Promise<{ pending: Pending; user: User }> {
    const cookie = cookieOf(exchange);
    const kept = cookie === undefined ? undefined : await this.store.get(cookie, PENDING);
    if (kept === undefined) throw stepOver();
    const pending = pendingSchema.parse(JSON.parse(kept));
    const user = await this.users.find(pending.userId);
    if (!user?.isEnabled() || user.sessionVersion !== pending.sessionVersion) throw stepOver();
    return { pending, user };
  }

  /** Consumes the pending step: of several calls only one goes on, and only with this step, not one begun later. */
  private async spendPending({ id }: Pending, exchange: HttpExchange): Promise<void> {
    const kept = await this.store.take(cookieOf(exchange) ?? '', PENDING);
    if (kept === undefined || pendingSchema.parse(JSON.parse(kept)).id !== id) throw stepOver();
  }

  /** Stores a value in the known visit, or in a new one whose cookie the browser gets. */
  private async keep(known: string | undefined, name: string, value: object, exchange: HttpExchange): Promise<void> {
    const { cookieValue } = await this.store.put(known, name, JSON.stringify(value));
    if (cookieValue === known) return;
    for (const line of sessionCookies(cookieValue, isSecure(exchange.request, this.host.env)))
      void exchange.reply.header('set-cookie', line);
  }
}

const cookieOf = ({ request }: HttpExchange): string | undefined => readSessionCookie(request.headers.cookie);

const stepOver = (): AppError => new AppError('invalid', 'second-step-over', '两步验证已失效，请重新登录');
