import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { allRoutes, type HttpMethod, type OwnedRouteRow, unimplementedRelayRoutes } from '@tollgate/contracts';
import { type Caller, Logger, toAppError, toRefusal } from '@tollgate/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ConsoleFiles } from '../console/console-files.js';
import { RateLimiter } from '../limit/rate-limiter.js';
import { Authenticator } from '../session/authenticator.js';
import { HandOver } from './hand-over.js';

const STATUS: Record<string, number> = { unauthenticated: 401, 'rate-limited': 429, unavailable: 503, internal: 500 };
const ALL_METHODS: HttpMethod[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
/** Everything below these belongs to the relay, which answers unknown paths in the caller's dialect. */
const RELAY_PREFIXES = ['/v1', '/v1beta', '/pg', '/mj', '/suno'];

/** The edge of the platform: one Fastify route per row of the route table, each authenticated, limited and handed to its owner. */
@Injectable()
export class Edge implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly authenticator: Authenticator,
    private readonly limiter: RateLimiter,
    private readonly handOver: HandOver,
    private readonly files: ConsoleFiles,
    private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    const instance = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    for (const row of allRoutes) this.register(instance, row);
    for (const [method, url] of unimplementedRelayRoutes) this.pass(instance, method, url);
    for (const prefix of RELAY_PREFIXES) for (const method of ALL_METHODS) this.pass(instance, method, `${prefix}/*`);
    await this.files.register(instance);
  }

  private register(instance: FastifyInstance, row: OwnedRouteRow): void {
    instance.route({
      method: row.method,
      url: row.path,
      config: { row },
      onRequest: (request, reply) =>
        this.guarded(request, reply, async () => {
          const caller = await this.callerOf(request, row);
          await this.limiter.admit(row.rate, request.ip, caller?.userId);
          this.handOver.to(row.owner, request, reply, caller);
        }),
      handler: unreachable,
    });
  }

  /** A path that the relay answers itself, known or not. */
  private pass(instance: FastifyInstance, method: HttpMethod, url: string): void {
    if (instance.hasRoute({ method, url })) return;
    instance.route({
      method,
      url,
      onRequest: (request, reply) =>
        this.guarded(request, reply, () => {
          this.handOver.to('relay', request, reply);
          return Promise.resolve();
        }),
      handler: unreachable,
    });
  }

  private async callerOf(request: FastifyRequest, row: OwnedRouteRow): Promise<Caller | undefined> {
    if (row.auth === 'none' || row.auth === 'token') return undefined;
    return row.auth === 'optional' ? this.authenticator.recognise(request) : this.authenticator.require(request, row);
  }

  private async guarded(request: FastifyRequest, reply: FastifyReply, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = toAppError(error, request.id);
      if (failure.kind === 'internal') this.logger.error('gateway failed', { error, requestId: request.id });
      const { retryAfter, status } = failure.details;
      if (retryAfter !== undefined) void reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))));
      await reply.status(status ?? STATUS[failure.kind] ?? 200).send(toRefusal(failure));
    }
  }
}

/** A request that was handed over never reaches a handler of the gateway. */
const unreachable = (): never => {
  throw new Error('the request was not handed over');
};
