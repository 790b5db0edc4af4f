import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SecretBox } from '../crypto/secret-box.js';
import { AppError } from '../errors/app-error.js';

/** The caller of a request, as signed by the gateway. Role and group are fetched for each request, not taken from the session. */
const callerSchema = z.object({
  userId: z.int().positive(),
  username: z.string(),
  role: z.int(),
  group: z.string(),
  via: z.enum(['session', 'access-token']),
  /** The user's session version when the request was admitted. Gateways of older releases do not send it. */
  sessionVersion: z.int().optional(),
  requestId: z.string(),
  /** Unix seconds; the gateway signs for 30 s. */
  exp: z.int(),
});
export type Caller = z.infer<typeof callerSchema>;

export const CALLER_HEADER = 'x-tollgate-caller';
export const SERVICE_HEADER = 'x-tollgate-service';
export const REQUEST_ID_HEADER = 'x-oneapi-request-id';
/**
 * Exchanged between processes. On a request: the revisions that the answering service must have at least. On a reply: those that the
 * request produced.
 */
export const REVISIONS_HEADER = 'x-tollgate-revisions';
export const CALLER_PURPOSE = 'caller-identity';
export const SERVICE_PURPOSE = 'service-identity';

/**
 * A gateway's signature lives 30 s; this allows for clocks of two machines that differ by up to five minutes, plus a margin while one is
 * being set.
 */
export const CLOCK_SKEW_SECONDS = 330;

/** Whether a signed identity is still valid; `exp` is in Unix seconds. */
const isFresh = (exp: number): boolean => exp + CLOCK_SKEW_SECONDS >= Date.now() / 1000;

/** The caller that a gateway signed in this header, however long ago. */
function signedCaller(secrets: SecretBox, header: unknown): Caller | undefined {
  if (typeof header !== 'string') return undefined;
  return callerSchema.safeParse(secrets.verify(CALLER_PURPOSE, header)).data;
}

/** The caller that the gateway signed in this header; `undefined` when the signature is invalid or too old. */
export function verifiedCaller(secrets: SecretBox, header: unknown): Caller | undefined {
  const caller = signedCaller(secrets, header);
  return caller && isFresh(caller.exp) ? caller : undefined;
}

/**
 * Whether a gateway signed this header too long ago. It signs anew for each request, so the clock of the gateway or of this process is wrong.
 */
export function isOutdatedCaller(secrets: SecretBox, header: unknown): boolean {
  const caller = signedCaller(secrets, header);
  return caller !== undefined && !isFresh(caller.exp);
}

/** Whether the headers carry a valid signature of one of our services. */
export function isService(secrets: SecretBox, headers: Readonly<IncomingHttpHeaders>): boolean {
  const header = headers[SERVICE_HEADER];
  if (typeof header !== 'string') return false;
  const identity = secrets.verify(SERVICE_PURPOSE, header) as { exp?: unknown } | undefined;
  return typeof identity?.exp === 'number' && isFresh(identity.exp);
}

export interface PlatformRequest extends FastifyRequest {
  caller?: Caller;
  /** Whether the gateway, in another process, found that the client is a person at the gateway's own machine. */
  local?: boolean;
}

/** The caller, for routes that require one; throws `unauthenticated` without one. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<PlatformRequest>();
  if (!caller) throw new AppError('unauthenticated', 'not-signed-in', '无权进行此操作，未登录且未提供 access token');
  return caller;
});

/** The caller, for routes that visitors may use too. */
export const OptionalCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | undefined =>
    context.switchToHttp().getRequest<PlatformRequest>().caller,
);
