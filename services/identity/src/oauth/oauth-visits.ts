import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppError, Host, isSecure, readSessionCookie, sessionCookies, SessionStore } from '@tollgate/chassis';
import { z } from 'zod';
import type { HttpExchange } from '../login/session.service.js';

const visitSchema = z.object({
  aff: z.string().default(''),
  redirectUri: z.string().optional(),
  verifier: z.string().optional(),
  nonce: z.string().optional(),
});
export type OauthVisit = z.infer<typeof visitSchema>;

const STATE_BYTES = 18;
const nameOf = (state: string): string => `oauth-state:${state}`;

/**
 * OAuth sign-ins in progress. Each has a state that is valid once, for ten minutes, and only in the browser that began
 * it.
 */
@Injectable()
export class OauthVisits {
  constructor(
    private readonly sessions: SessionStore,
    private readonly host: Host,
  ) {}

  /** Stores the visit and returns its state. One browser may have several visits in progress, one per tab. */
  async begin(visit: OauthVisit, { request, reply }: HttpExchange): Promise<string> {
    const state = randomBytes(STATE_BYTES).toString('base64url');
    const known = readSessionCookie(request.headers.cookie);
    const { cookieValue } = await this.sessions.put(known, nameOf(state), JSON.stringify(visit));
    if (cookieValue !== known) {
      for (const line of sessionCookies(cookieValue, isSecure(request, this.host.env)))
        void reply.header('set-cookie', line);
    }
    return state;
  }

  /** Consumes the state, even if the sign-in fails later. Throws `oauth-state-wrong`. */
  async finish(state: string, { request }: Pick<HttpExchange, 'request'>): Promise<OauthVisit> {
    const cookie = readSessionCookie(request.headers.cookie);
    const kept = state === '' || cookie === undefined ? undefined : await this.sessions.take(cookie, nameOf(state));
    if (kept === undefined) {
      throw new AppError('forbidden', 'oauth-state-wrong', 'state is empty or not same', { status: 403 });
    }
    return visitSchema.parse(JSON.parse(kept));
  }
}
