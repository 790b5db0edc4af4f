import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { Message, RawReply } from './reply.js';
import { INTERNAL_CALL } from './route.js';

/** Wraps the result of a documented handler into `{ success, message, data }`; internal calls return it unwrapped. */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const internal = Reflect.getMetadata(INTERNAL_CALL, context.getHandler()) !== undefined;
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(map((result: unknown) => (internal ? (result ?? {}) : toBody(result, reply))));
  }
}

function toBody(result: unknown, reply: FastifyReply): unknown {
  if (result instanceof RawReply) {
    reply.status(result.status).headers(result.headers);
    return result.body;
  }
  if (result instanceof Message)
    return { success: true, message: result.message, ...(result.data !== undefined && { data: result.data }) };
  return { success: true, message: '', ...(result !== undefined && { data: result }) };
}
