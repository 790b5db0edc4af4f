import { Injectable } from '@nestjs/common';
import {
  mustEnrol,
  resolveAccessToken,
  resolveUsers,
  UserStatus,
  type OwnedRouteRow,
  type UserRecord,
} from '@tollgate/contracts';
import { AppError, type Caller, InternalClient, OptionStore, readSessionCookie, SessionStore } from '@tollgate/chassis';
import type { FastifyRequest } from 'fastify';
import { Passport, type Strategy } from 'passport';
import { Strategy as CustomStrategy } from 'passport-custom';
import { OwnOrigin } from '../browser/own-origin.js';

const USER_ID_HEADER = 'new-api-user';
const CALLER_SECONDS = 30;

interface Identity {
  user: UserRecord;
  via: Caller['via'];
}

/**
 * The error for a missing second factor. Model calls get status 403, because their clients would take a 200 for a
 * result.
 */
const factorMissing = ({ owner }: OwnedRouteRow): AppError =>
  new AppError('forbidden', 'second-factor-required', '管理员要求启用两步验证，请先完成设置', {
    ...(owner === 'relay' && { status: 403 }),
  });

const refuse = (code: string, message: string): AppError => new AppError('unauthenticated', code, message);

/**
 * Authenticates console requests by session cookie or system access token; identity headers of a client are never
 * trusted. Role, status and group are fetched for every request, so that a ban or a demotion takes effect at once.
 */
@Injectable()
export class Authenticator {
  private readonly passport = new Passport();

  constructor(
    private readonly sessions: SessionStore,
    private readonly internal: InternalClient,
    private readonly origin: OwnOrigin,
    private readonly options: OptionStore,
  ) {
    this.passport.use(
      'gateway-session',
      this.strategy((request) => this.bySession(request)),
    );
    this.passport.use(
      'gateway-access-token',
      this.strategy((request) => this.byAccessToken(request)),
    );
  }

  /** The caller of a route that needs one; throws the documented errors in the documented order. */
  async require(request: FastifyRequest, row: OwnedRouteRow): Promise<Caller> {
    const identity = await this.identify(
      request,
      row.auth === 'user' ? ['gateway-session', 'gateway-access-token'] : ['gateway-session'],
    );
    if (!identity) throw this.missing(request, row);
    if (row.auth !== 'navigation') checkUserId(request, identity.user.id);
    if (identity.via === 'session') this.origin.require(request);
    if (identity.user.status === UserStatus.banned) throw new AppError('forbidden', 'user-banned', '用户已被封禁');
    if (identity.user.role < row.minRole)
      throw new AppError('forbidden', 'permission-denied', '无权进行此操作，权限不足');
    if (row.beforeFactor !== true && this.isUnproven(identity)) throw factorMissing(row);
    return toCaller(identity, request.id);
  }

  /** For routes open to visitors: the session's user if there is a valid one. Never throws because of the caller. */
  async recognise(request: FastifyRequest): Promise<Caller | undefined> {
    const identity = await this.identify(request, ['gateway-session']);
    if (!identity || identity.user.status === UserStatus.banned || this.isUnproven(identity)) return undefined;
    return toCaller(identity, request.id);
  }

  /**
   * Whether the user has signed in without the second factor that the operator requires. An access token is exempt: a
   * signed-in user has created it, and it is as long as two factors together.
   */
  private isUnproven({ user, via }: Identity): boolean {
    return via === 'session' && mustEnrol(this.options.get('SecondFactorRequiredFor'), user);
  }

  private missing(request: FastifyRequest, row: OwnedRouteRow): AppError {
    if (!request.headers.authorization) return refuse('not-signed-in', '无权进行此操作，未登录且未提供 access token');
    if (row.auth !== 'user')
      return new AppError('invalid', 'access-token-not-supported', '暂不支持使用 access token', { status: 400 });
    return new AppError('forbidden', 'access-token-invalid', '无权进行此操作，access token 无效');
  }

  private identify(request: FastifyRequest, names: string[]): Promise<Identity | undefined> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, identity?: Identity | false | null): void => {
        if (error) reject(error as Error);
        else resolve(identity || undefined);
      };
      const middleware = this.passport.authenticate(names, { session: false }, done) as (
        req: unknown,
        res: unknown,
        next: (error?: unknown) => void,
      ) => void;
      middleware(request, {}, (error) => done(error));
    });
  }

  private strategy(find: (request: FastifyRequest) => Promise<Identity | undefined>): Strategy {
    return new CustomStrategy((request, done) => {
      find(request as unknown as FastifyRequest).then((identity) => done(null, identity ?? false), done);
    });
  }

  private async bySession(request: FastifyRequest): Promise<Identity | undefined> {
    const cookie = readSessionCookie(request.headers.cookie);
    const session = cookie ? await this.sessions.read(cookie) : undefined;
    if (!session) return undefined;
    const user = await this.find(session.userId);
    // A ban ends sessions too, but a banned user should see the ban as the reason.
    const valid = user && (user.status === UserStatus.banned || user.sessionVersion === session.sessionVersion);
    return valid ? { user, via: 'session' } : undefined;
  }

  private async byAccessToken(request: FastifyRequest): Promise<Identity | undefined> {
    const accessToken = request.headers.authorization?.replace(/^Bearer /, '').trim();
    if (!accessToken || accessToken.length > 200) return undefined;
    const { userId } = await this.internal.call(resolveAccessToken, { accessToken });
    const user = userId === null ? undefined : await this.find(userId);
    return user && { user, via: 'access-token' };
  }

  private async find(id: number): Promise<UserRecord | undefined> {
    const { users } = await this.internal.call(resolveUsers, { ids: [id] });
    return users[0];
  }
}

function checkUserId(request: FastifyRequest, id: number): void {
  const given = request.headers[USER_ID_HEADER];
  if (typeof given !== 'string' || given === '') throw refuse('user-id-missing', '无权进行此操作，未提供 New-Api-User');
  if (!/^-?\d{1,15}$/.test(given)) throw refuse('user-id-malformed', '无权进行此操作，New-Api-User 格式错误');
  if (Number(given) !== id) throw refuse('user-id-mismatch', '无权进行此操作，New-Api-User 与登录用户不匹配');
}

const toCaller = ({ user, via }: Identity, requestId: string): Caller => ({
  userId: user.id,
  username: user.username,
  role: user.role,
  group: user.group,
  via,
  sessionVersion: user.sessionVersion,
  requestId,
  exp: Math.floor(Date.now() / 1000) + CALLER_SECONDS,
});
