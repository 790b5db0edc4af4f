import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { ServiceName } from '@tollgate/contracts';
import {
  AppError,
  CALLER_HEADER,
  CALLER_PURPOSE,
  type Caller,
  Host,
  REQUEST_ID,
  SecretBox,
  SERVICE_HEADER,
} from '@tollgate/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Names only we may set; whatever a client sends under them is dropped. */
const INTERNAL_HEADERS = [CALLER_HEADER, SERVICE_HEADER];

/**
 * Gives a request to the service that owns it. In one process the owner's Fastify gets the raw request and response, before any
 * body is read, so that streams, aborts and back-pressure behave as if the owner listened itself.
 */
@Injectable()
export class HandOver {
  constructor(
    private readonly host: Host,
    private readonly secrets: SecretBox,
  ) {}

  to(owner: ServiceName, request: FastifyRequest, reply: FastifyReply, caller?: Caller): void {
    const instance = this.host.instances.get(owner);
    if (!instance)
      throw new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', {
        params: { service: owner },
      });
    const raw = request.raw as IncomingMessage & { [REQUEST_ID]?: string };
    for (const header of INTERNAL_HEADERS) delete raw.headers[header];
    if (caller) raw.headers[CALLER_HEADER] = this.secrets.sign(CALLER_PURPOSE, caller);
    raw[REQUEST_ID] = request.id;
    reply.hijack();
    instance.routing(raw, reply.raw);
  }
}
