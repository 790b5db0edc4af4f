import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { gzipWholeReply } from '../browser/gzip-replies.js';

/** The viewer is a megabyte and a half of text. */
@Injectable()
export class GzipInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    gzipWholeReply(http.getRequest<FastifyRequest>().raw, http.getResponse<FastifyReply>().raw);
    return next.handle();
  }
}
