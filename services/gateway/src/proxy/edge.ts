import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { allRoutes, type HttpMethod, type OwnedRouteRow, unimplementedRelayRoutes } from '@tollgate/contracts';
import { type Caller, Host, isSecure, Logger, toAppError, toErrorReply } from '@tollgate/chassis';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ConsoleFiles } from '../console/console-files.js';
import { RateLimiter } from '../limit/rate-limiter.js';
import { LiveStreams } from '../live/live-streams.js';
import { Authenticator } from '../session/authenticator.js';
import { allowAnyOrigin, answerPreflight } from '../browser/cross-origin.js';
import { HandOver } from './hand-over.js';
import { modelError } from './model-error.js';
import { ModelFront } from './model-front.js';
import { labelJsonBody } from '../browser/json-bodies.js';
import { UpgradeFront } from './upgrade-front.js';
import { OwnOrigin } from '../browser/own-origin.js';
import { demandTls, keepPrivate } from '../browser/private-replies.js';

const STATUS: Record<string, number> = { unauthenticated: 401, 'rate-limited': 429, unavailable: 503, internal: 500 };
const ALL_METHODS: HttpMethod[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
/** All paths with these prefixes belong to the relay, which answers unknown ones in the caller's dialect. */
const RELAY_PREFIXES = ['/v1', '/v1beta', '/pg', '/mj', '/:mode/mj', '/suno'];
/** The playground authenticates by session, so pages of other sites may not call it. */
const SESSION_PREFIX = '/pg';
/** Paths whose clients read errors in OpenAI's form: the playground, and billing calls by key. */
const OPENAI_PATHS = /^\/(?:pg|v1\/dashboard|dashboard)\//;

/**
 * The edge of the platform: one Fastify route per row of the route table. Each request is authenticated, limited and
 * handed over to the service that owns the route.
 */
@Injectable()
export class Edge implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly host: Host,
    private readonly authenticator: Authenticator,
    private readonly limiter: RateLimiter,
    private readonly origin: OwnOrigin,
    private readonly handOver: HandOver,
    private readonly live: LiveStreams,
    private readonly files: ConsoleFiles,
    private readonly models: ModelFront,
    private readonly upgrades: UpgradeFront,
    private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    const instance = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    instance.addHook('onRequest', (request, reply, done) => {
      if (isSecure(request, this.host.env)) demandTls(reply.raw);
      done();
    });
    for (const row of allRoutes) this.register(instance, row);
    for (const [method, url] of unimplementedRelayRoutes) this.pass(instance, method, url);
    for (const prefix of RELAY_PREFIXES) for (const method of ALL_METHODS) this.pass(instance, method, `${prefix}/*`);
    await this.files.register(instance);
    this.models.open(instance.server);
    this.upgrades.open(instance.server);
  }

  private register(instance: FastifyInstance, row: OwnedRouteRow): void {
    instance.route({
      method: row.method,
      url: row.path,
      config: { row },
      onRequest: (request, reply) =>
        this.guarded(request, reply, async () => {
          if (row.auth === 'token') allowAnyOrigin(reply.raw);
          if (row.owner !== 'relay') keepPrivate(reply.raw);
          const caller = await this.admit(request, row);
          this.origin.requireForVisitors(request, row);
          if (row.owner === 'gateway') return this.live.open(request, reply, row, requireCaller(caller));
          if (row.owner !== 'relay' && !row.isCallback) labelJsonBody(request.raw);
          this.handOver.to(row.owner, request, reply, caller);
        }),
      handler: unreachable,
    });
    if (row.auth === 'token') this.openToAnyOrigin(instance, row.path);
  }

  /** Hands every request on this path to the relay, which authenticates it itself. */
  private pass(instance: FastifyInstance, method: HttpMethod, url: string): void {
    if (instance.hasRoute({ method, url })) return;
    const isOpen = !url.startsWith(SESSION_PREFIX);
    if (isOpen) this.openToAnyOrigin(instance, url);
    instance.route({
      method,
      url,
      onRequest: (request, reply) =>
        this.guarded(request, reply, () => {
          if (isOpen) allowAnyOrigin(reply.raw);
          this.handOver.to('relay', request, reply);
          return Promise.resolve();
        }),
      handler: unreachable,
    });
  }

  /** Answers the preflight request that browsers send before a request with a token from another origin. */
  private openToAnyOrigin(instance: FastifyInstance, url: string): void {
    if (instance.hasRoute({ method: 'OPTIONS', url })) return;
    // Answered before a body is read: some clients name a type and send none.
    instance.route({ method: 'OPTIONS', url, onRequest: answerPreflight, handler: unreachable });
  }

  /** Failed authentications are counted too, by address, to limit guessing. */
  private async admit(request: FastifyRequest, row: OwnedRouteRow): Promise<Caller | undefined> {
    let caller: Caller | undefined;
    try {
      caller = await this.callerOf(request, row);
    } catch (error) {
      await this.limiter.admit(row.rate, request.ip, undefined);
      throw error;
    }
    await this.limiter.admit(row.rate, request.ip, caller?.userId);
    return caller;
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
      const readsOpenAi = OPENAI_PATHS.test(request.url);
      const stated = { message: failure.message, code: failure.code.replaceAll('-', '_') };
      const body = { ...toErrorReply(failure), ...(readsOpenAi && { error: modelError(stated, request.id) }) };
      await reply.status(status ?? STATUS[failure.kind] ?? 200).send(body);
    }
  }
}

/** Calls that the gateway itself answers are for signed-in users only. */
function requireCaller(caller: Caller | undefined): Caller {
  if (!caller) throw new Error('a call of the gateway itself is open to visitors');
  return caller;
}

/** Never called, because every request is handed over before its handler would run. */
const unreachable = (): never => {
  throw new Error('the request was not handed over');
};
