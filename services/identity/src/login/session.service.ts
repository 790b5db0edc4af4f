import { Injectable } from '@nestjs/common';
import { broadcasts } from '@tollgate/contracts';
import { Host, KeyValue, Logger, lookAgainChannel, type PlatformRequest, SessionStore } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { User } from '../user/user.entity.js';
import { expiredSessionCookie, readSessionCookie, sessionCookie } from './session-cookie.js';

/** One HTTP exchange in which a session begins or ends. */
export interface Exchange {
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
  ) {}

  /** Always a new one, so that a cookie planted before the sign-in is worth nothing after it. */
  async open(user: User, { request, reply }: Exchange): Promise<void> {
    await this.revokeCurrent(request);
    const { cookieValue } = await this.store.create({ userId: user.id, sessionVersion: user.sessionVersion });
    void reply.header('set-cookie', sessionCookie(cookieValue, this.isSecure(request)));
  }

  async close({ request, reply }: Exchange): Promise<void> {
    await this.revokeCurrent(request);
    void reply.header('set-cookie', expiredSessionCookie(this.isSecure(request)));
  }

  private async revokeCurrent(request: PlatformRequest): Promise<void> {
    const cookie = readSessionCookie(request.headers.cookie);
    if (cookie === undefined) return;
    const session = await this.store.read(cookie);
    await this.store.revoke(cookie);
    if (!session) return;
    // Open streams of live updates prove themselves again; without the broadcast they do so a little later.
    await this.keyValue
      .publish(lookAgainChannel(broadcasts.sessionEnded), String(session.userId))
      .catch((error: unknown) => this.logger.debug('not broadcast', { topic: broadcasts.sessionEnded, error }));
  }

  private isSecure(request: PlatformRequest): boolean {
    return this.host.env.TOLLGATE_SECURE_COOKIES === 'always' || request.protocol === 'https';
  }
}
