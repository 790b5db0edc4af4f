import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.js';
import { AppError } from '../errors/app-error.js';

/** Who makes the request, as the gateway vouches for it. Role and group are fresh, never from the session. */
const callerSchema = z.object({
  userId: z.int().positive(),
  username: z.string(),
  role: z.int(),
  group: z.string(),
  via: z.enum(['session', 'access-token']),
  requestId: z.string(),
  /** Unix seconds; the gateway grants 30 s. */
  exp: z.int(),
});
export type Caller = z.infer<typeof callerSchema>;

export const CALLER_HEADER = 'x-tollgate-caller';
export const SERVICE_HEADER = 'x-tollgate-service';
export const REQUEST_ID_HEADER = 'x-oneapi-request-id';
/**
 * Between two processes. On a request: whoever answers it is to know at least these revisions. On a reply: what it has brought about.
 */
export const REVISIONS_HEADER = 'x-tollgate-revisions';
export const CALLER_PURPOSE = 'caller-identity';
export const SERVICE_PURPOSE = 'service-identity';

/** The gateway's signature is 30 s old at most; clocks of two machines may differ by five minutes, and by a little while one is set. */
export const CLOCK_SKEW_SECONDS = 330;

/** Whether a signed identity still counts; `exp` is in Unix seconds. */
export const isFresh = (exp: number): boolean => exp + CLOCK_SKEW_SECONDS >= Date.now() / 1000;

/** Whom the gateway vouches for in this header; undefined when the signature is not its own or is too old. */
export function verifiedCaller(secrets: SecretBox, header: unknown): Caller | undefined {
  if (typeof header !== 'string') return undefined;
  const caller = callerSchema.safeParse(secrets.verify(CALLER_PURPOSE, header));
  return caller.success && isFresh(caller.data.exp) ? caller.data : undefined;
}

/** Whether a service of ours sends these headers. */
export function isService(secrets: SecretBox, headers: Readonly<IncomingHttpHeaders>): boolean {
  const header = headers[SERVICE_HEADER];
  if (typeof header !== 'string') return false;
  const identity = secrets.verify(SERVICE_PURPOSE, header) as { exp?: unknown } | undefined;
  return typeof identity?.exp === 'number' && isFresh(identity.exp);
}

export interface PlatformRequest extends FastifyRequest {
  caller?: Caller;
  /** Whether the gateway of another process saw a person at its own machine. */
  local?: boolean;
}

/** The caller of a route that needs one. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<PlatformRequest>();
  if (!caller) throw new AppError('unauthenticated', 'not-signed-in', '无权进行此操作，未登录且未提供 access token');
  return caller;
});

/** The caller of a route that is open to visitors. */
export const OptionalCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | undefined =>
    context.switchToHttp().getRequest<PlatformRequest>().caller,
);
