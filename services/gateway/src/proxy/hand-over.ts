import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { ServiceName } from '@tollgate/contracts';
import { AppError, CALLER_HEADER, CALLER_PURPOSE, type Caller, Host, REQUEST_ID, SecretBox } from '@tollgate/chassis';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { INTERNAL_HEADERS } from './pass-headers.js';
import { ReverseProxy } from './reverse-proxy.js';

/**
 * Hands a request over to the service that owns it. If the owner runs in this process, its Fastify instance gets the
 * raw request and response before any of the body is read, so that streams, aborts and back-pressure behave as if the
 * owner were listening itself. Otherwise the request goes through the reverse proxy.
 */
@Injectable()
export class HandOver {
  constructor(
    private readonly host: Host,
    private readonly secrets: SecretBox,
    private readonly proxy: ReverseProxy,
  ) {}

  to(owner: ServiceName, request: FastifyRequest, reply: FastifyReply, caller?: Caller): void {
    const identity = caller && this.secrets.sign(CALLER_PURPOSE, caller);
    const instance = this.host.instances.get(owner);
    if (instance) give(instance, request, reply, identity);
    else if (this.proxy.reaches(owner)) this.proxy.pass(owner, request, reply, identity);
    else
      throw new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', {
        params: { service: owner },
      });
  }
}

function give(instance: FastifyInstance, request: FastifyRequest, reply: FastifyReply, identity?: string): void {
  const raw = request.raw as IncomingMessage & { [REQUEST_ID]?: string };
  for (const header of INTERNAL_HEADERS) delete raw.headers[header];
  if (identity !== undefined) raw.headers[CALLER_HEADER] = identity;
  raw[REQUEST_ID] = request.id;
  reply.hijack();
  instance.routing(raw, reply.raw);
}
