import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '../errors/app-error.js';

/** Who makes the request, as the gateway vouches for it. Role and group are fresh, never from the session. */
export const callerSchema = z.object({
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
export const CALLER_PURPOSE = 'caller-identity';
export const SERVICE_PURPOSE = 'service-identity';

export interface PlatformRequest extends FastifyRequest {
  caller?: Caller;
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
