import type { IncomingMessage } from 'node:http';
import type { Type } from '@nestjs/common';
import { type Span, SpanStatusCode } from '@opentelemetry/api';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logRequest } from '../http/access-log.js';
import { CallerGuard } from '../http/caller.guard.js';
import { EnvelopeFilter } from '../http/envelope.filter.js';
import { EnvelopeInterceptor } from '../http/envelope.interceptor.js';
import { forwardedOf } from '../http/forwarded.js';
import type { RouteContext } from '../http/route.js';
import { leaveUnread, letBodyCome } from '../http/unread-body.js';
import { validation } from '../http/validation.js';
import type { Logger } from '../log/logger.js';
import { inRequest } from '../context/request-scope.js';
import type { Metrics } from '../metrics/metrics.js';
import { type Host, REQUEST_ID } from './host.js';
import { serverSpan } from '../tracing/tracing.js';
import { newId } from './new-id.js';

const DEFAULT_BODY_LIMIT = 1024 * 1024;

interface Parts {
  host: Host;
  logger: Logger;
  metrics: Metrics;
  /** Runs a request in the context of the service's database, if it has one. */
  inDatabase?: (request: () => void) => void;
}

/** The request id is minted here at admission, unless the gateway did, in this process or by its signature; never taken from a client. */
const requestIdBy =
  ({ secrets }: Host) =>
  (raw: IncomingMessage & { [REQUEST_ID]?: string }): string =>
    raw[REQUEST_ID] ?? forwardedOf(secrets, raw)?.requestId ?? newId();

/** Behind the gateway the client's address is what the gateway saw; Fastify knows only the gateway's. */
function trustForwarded(request: FastifyRequest, { secrets }: Host): void {
  const facts = forwardedOf(secrets, request.raw);
  if (!facts) return;
  Object.defineProperties(request, {
    ip: { value: facts.address },
    protocol: { value: facts.protocol },
    host: { value: facts.host },
    local: { value: facts.local },
  });
}

/** A Nest application on Fastify with the house's pipe, filter, interceptor, guard, hooks and limits. */
export async function createHttpApp(
  module: Parameters<typeof NestFactory.create>[0] | Type,
  parts: Parts,
): Promise<NestFastifyApplication> {
  const { host, logger } = parts;
  const proxies = host.env.TOLLGATE_TRUSTED_PROXIES.split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const adapter = new FastifyAdapter({
    genReqId: requestIdBy(host) as (raw: unknown) => string,
    bodyLimit: DEFAULT_BODY_LIMIT,
    trustProxy: proxies.length > 0 ? proxies : false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    // Long enough for a large body over a slow line, short enough that half a request cannot hold a socket for ever.
    requestTimeout: 120_000,
    connectionTimeout: 0,
    forceCloseConnections: true,
  });
  const instance = adapter.getInstance() as unknown as FastifyInstance;
  addHooks(instance, parts);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    abortOnError: false,
    forceCloseConnections: true,
  });
  app.useGlobalPipes(validation());
  app.useGlobalFilters(new EnvelopeFilter(logger));
  app.useGlobalInterceptors(new EnvelopeInterceptor());
  app.useGlobalGuards(new CallerGuard(host.secrets));
  return app;
}

interface Traced {
  span?: Span;
}

/** The request itself is the scope where nobody collects spans. */
function scopeOf(request: FastifyRequest & Traced): Parameters<typeof inRequest>[0] {
  const span = serverSpan(`${request.method} ${request.routeOptions.url ?? 'unknown'}`, request.headers, {
    'http.request.method': request.method,
    'http.route': request.routeOptions.url ?? '',
    'tollgate.request_id': request.id,
  });
  if (!span) return request;
  request.span = span;
  return { id: request.id, span };
}

function endSpan({ span }: Traced, status: number): void {
  if (!span) return;
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function addHooks(instance: FastifyInstance, { host, logger, metrics, inDatabase }: Parts): void {
  const logsRequests = host.env.LOG_REQUESTS === 'on';
  instance.addHook('onRoute', (route) => {
    const { row, internal } = (route.config ?? {}) as RouteContext;
    if (row?.bodyLimit !== undefined) route.bodyLimit = row.bodyLimit;
    if (internal !== undefined) route.bodyLimit = 64 * DEFAULT_BODY_LIMIT;
  });
  instance.addHook('onRequest', (request, reply, done) => {
    trustForwarded(request, host);
    void reply.header('X-Oneapi-Request-Id', request.id);
    inRequest(scopeOf(request), () => (inDatabase ? inDatabase(done) : done()));
  });
  instance.addHook('preParsing', (request, reply, payload, done) => {
    if ((request.routeOptions.config as RouteContext | undefined)?.readsBody !== true)
      letBodyCome(request.raw, reply.raw);
    done(null, payload);
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    leaveUnread(request.raw, reply.raw);
    done(null, payload);
  });
  instance.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const { row, internal } = (request.routeOptions.config ?? {}) as RouteContext;
    const operation = row?.operationId ?? internal ?? 'other';
    endSpan(request as Traced, reply.statusCode);
    metrics.requests.inc({ method: request.method, operation, status: String(reply.statusCode) });
    metrics.requestSeconds.observe({ method: request.method, operation }, reply.elapsedTime / 1000);
    if (logsRequests) logRequest(logger, request, reply);
    done();
  });
  // Clients of such APIs often send JSON under another content type or none at all.
  instance.addContentTypeParser('*', { parseAs: 'string' }, instance.getDefaultJsonParser('error', 'error'));
}
