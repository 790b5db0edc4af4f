import { Injectable } from '@nestjs/common';
import { broadcasts } from '@tollgate/contracts';
import {
  expiredSessionCookies,
  Host,
  isSecure,
  KeyValue,
  Logger,
  broadcastChannel,
  type PlatformRequest,
  readSessionCookie,
  sessionCookies,
  type SessionRecord,
  SessionStore,
} from '@tollgate/chassis';
import type { FastifyReply } from 'fastify';
import type { User } from '../user/user.entity.js';
import { SignIns } from './sign-ins.js';

/** A request and its reply in which a session begins or ends. */
export interface HttpExchange {
  request: PlatformRequest;
  reply: FastifyReply;
}

@Injectable()
export class SessionService {
  constructor(
    private readonly store: SessionStore,
    private readonly host: Host,
    private readonly keyValue: KeyValue,
    private readonly logger: Logger,
    private readonly signIns: SignIns,
  ) {}

  /** Always creates a new session, so that a cookie planted before the sign-in (session fixation) is useless. */
  async open(user: User, { request, reply }: HttpExchange): Promise<void> {
    await this.revokeCurrent(request);
    const { cookieValue } = await this.store.create({ userId: user.id, sessionVersion: user.sessionVersion });
    await this.signIns.add(this.store.idOf(cookieValue), user.id, request);
    for (const line of sessionCookies(cookieValue, isSecure(request, this.host.env)))
      void reply.header('set-cookie', line);
  }

  async close({ request, reply }: HttpExchange): Promise<void> {
    await this.revokeCurrent(request);
    for (const line of expiredSessionCookies(isSecure(request, this.host.env))) void reply.header('set-cookie', line);
  }

  /** The session of the request's cookie, whoever it belongs to. */
  async of(request: PlatformRequest): Promise<SessionRecord | undefined> {
    const cookie = readSessionCookie(request.headers.cookie);
    return cookie === undefined ? undefined : this.store.read(cookie);
  }

  /** The id by which lists name the request's session. */
  async idOf(request: PlatformRequest): Promise<string | undefined> {
    const cookie = readSessionCookie(request.headers.cookie);
    return cookie === undefined ? undefined : this.store.findId(cookie);
  }

  /** Ends the session that the browser had before. */
  async revokeCurrent(request: PlatformRequest): Promise<void> {
    const cookie = readSessionCookie(request.headers.cookie);
    if (cookie === undefined) return;
    const session = await this.store.read(cookie);
    await this.store.revoke(cookie);
    if (!session) return;
    // Makes open live streams authenticate again at once; without the broadcast they do so a little later.
    await this.broadcastEnd(session.userId);
  }

  async broadcastEnd(userId: number): Promise<void> {
    await this.keyValue
      .publish(broadcastChannel(broadcasts.sessionEnded), String(userId))
      .catch((error: unknown) => this.logger.debug('not broadcast', { topic: broadcasts.sessionEnded, error }));
  }
}
