import type { Type } from '@nestjs/common';
import type { Span } from '@opentelemetry/api';
import { Role } from '@tollgate/contracts';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { logRequest, answeredStatus } from '../http/access-log.js';
import { isService, type PlatformRequest, REQUEST_ID_HEADER, REVISIONS_HEADER } from '../http/caller.js';
import { CallerGuard } from '../http/caller.guard.js';
import { compressReply } from '../http/compress-reply.js';
import { EnvelopeFilter } from '../http/envelope.filter.js';
import { EnvelopeInterceptor } from '../http/envelope.interceptor.js';
import { refuseAddress } from '../http/invalid-address.js';
import { refuseUnreadable } from '../http/unreadable-request.js';
import { forwardedOf } from '../http/forwarded.js';
import { requestIdOf } from './raw-requests.js';
import { jsonParser } from '../http/json-body.js';
import { parametersOf } from '../http/query-string.js';
import type { RouteContext } from '../http/route.js';
import { ClientAddresses, trustedProxies } from '../http/trusted-proxies.js';
import { leaveUnread, letBodyCome } from '../http/unread-body.js';
import { validation } from '../http/validation.js';
import type { Logger } from '../log/logger.js';
import { inRequest } from '../context/request-scope.js';
import type { Metrics } from '../metrics/metrics.js';
import type { ReadModels } from './read-models.js';
import type { Host } from './host.js';
import { parseRevisions } from './seen-revisions.js';
import { endSpan, isTracing, serverSpan } from '../tracing/tracing.js';

const DEFAULT_BODY_LIMIT = 1024 * 1024;
/** Callbacks are signed over their raw bytes, so their bodies are not parsed, whatever content type the sender states. */
const RAW_BODY = 'application/octet-stream';

/** Bodies are validated by zod, so Fastify need not load its compilers of JSON schemas, which take megabytes in every process. */
const noSchemas = (): never => {
  throw new Error('routes have no JSON schemas');
};

interface Parts {
  host: Host;
  logger: Logger;
  metrics: Metrics;
  readModels: ReadModels;
  /** Whether long replies are compressed for clients that accept it. The relay never does: answers of models are passed on unchanged. */
  compresses: boolean;
  /** Runs a request in the context of the service's database, if it has one. */
  inDatabase?: (request: () => void) => void;
}

/**
 * Behind the gateway, use the client address that the gateway signed: Fastify sees only the gateway's, and keeps ports in proxy headers.
 */
function trustForwarded(request: FastifyRequest, { secrets }: Host, addresses: ClientAddresses): void {
  const facts = forwardedOf(secrets, request.raw);
  if (!facts) {
    Object.defineProperty(request, 'ip', { value: addresses.addressOf(request.raw) });
    return;
  }
  Object.defineProperties(request, {
    ip: { value: facts.address },
    protocol: { value: facts.protocol },
    host: { value: facts.host },
    local: { value: facts.local },
  });
}

/** Creates a Nest application on Fastify with our pipe, filter, interceptor, guard, hooks and limits. */
export async function createHttpApp(
  module: Parameters<typeof NestFactory.create>[0] | Type,
  parts: Parts,
): Promise<NestFastifyApplication> {
  const { host, logger } = parts;
  const proxies = trustedProxies(host.env);
  const adapter = new FastifyAdapter({
    genReqId: ((raw: Parameters<typeof requestIdOf>[1]) => requestIdOf(host, raw)) as (raw: unknown) => string,
    bodyLimit: DEFAULT_BODY_LIMIT,
    trustProxy: proxies.length > 0 ? proxies : false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseUnreadable,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512, querystringParser: parametersOf },
    // Long enough for a large body over a slow network, short enough that an incomplete request cannot hold a socket forever.
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
  app.useBodyParser('application/json', { bodyLimit: DEFAULT_BODY_LIMIT }, jsonParser(instance));
  app.useGlobalPipes(validation());
  app.useGlobalFilters(new EnvelopeFilter(logger));
  app.useGlobalInterceptors(new EnvelopeInterceptor());
  app.useGlobalGuards(new CallerGuard(host.secrets));
  return app;
}

interface Traced {
  span?: Span;
}

/** Without tracing the request itself is the scope, which avoids an allocation. */
function scopeOf(request: FastifyRequest & Traced, { secrets }: Host): Parameters<typeof inRequest>[0] {
  if (!isTracing()) return request;
  const { headers } = request;
  const isOurs = (): boolean => forwardedOf(secrets, request.raw) !== undefined || isService(secrets, headers);
  const span = serverSpan(
    `${request.method} ${request.routeOptions.url ?? 'unknown'}`,
    { headers, isOurs },
    {
      'http.request.method': request.method,
      'http.route': request.routeOptions.url ?? '',
      'tollgate.request_id': request.id,
    },
  );
  if (!span) return request;
  request.span = span;
  return { id: request.id, span };
}

/** Revisions are exchanged between our own processes only: those that a client states are ignored, and clients are sent none. */
const isFromOtherProcess = ({ raw, routeOptions }: FastifyRequest, { secrets }: Host): boolean =>
  forwardedOf(secrets, raw) !== undefined || (routeOptions.config as RouteContext | undefined)?.internal !== undefined;

/** GET calls of administrators count too, because some documented ones change data. */
function mayChange({ method, routeOptions }: FastifyRequest): boolean {
  const { row } = (routeOptions.config ?? {}) as RouteContext;
  return row !== undefined && (method !== 'GET' || row.minRole >= Role.admin);
}

/** Calls that a service makes on its own account, such as the polls of every second, carry no request id. */
const isPoll = ({ routeOptions, headers }: FastifyRequest): boolean =>
  (routeOptions.config as RouteContext | undefined)?.internal !== undefined && headers[REQUEST_ID_HEADER] === undefined;

function addHooks(instance: FastifyInstance, parts: Parts): void {
  const { host, logger, metrics, readModels, compresses, inDatabase } = parts;
  const logsRequests = host.env.LOG_REQUESTS === 'on';
  const addresses = new ClientAddresses(trustedProxies(host.env));
  instance.addHook('onRoute', (route) => {
    const { row, internal } = (route.config ?? {}) as RouteContext;
    if (row?.bodyLimit !== undefined) route.bodyLimit = row.bodyLimit;
    if (internal !== undefined) route.bodyLimit = 64 * DEFAULT_BODY_LIMIT;
  });
  instance.addHook('onRequest', (request, reply, done) => {
    trustForwarded(request, host, addresses);
    void reply.header('X-Oneapi-Request-Id', request.id);
    inRequest(scopeOf(request, host), () => (inDatabase ? inDatabase(done) : done()));
  });
  instance.addHook('onRequest', async (request) => {
    if ((request.routeOptions.config as RouteContext | undefined)?.isSource === true) return;
    if (isFromOtherProcess(request, host)) host.revisions.learn(parseRevisions(request.headers[REVISIONS_HEADER]));
    if (readModels.areBehind) await readModels.catchUp();
  });
  instance.addHook('preParsing', (request, reply, payload, done) => {
    if ((request.routeOptions.config as RouteContext | undefined)?.row?.isCallback)
      request.raw.headers['content-type'] = RAW_BODY;
    if ((request.routeOptions.config as RouteContext | undefined)?.readsBody !== true)
      letBodyCome(request.raw, reply.raw);
    done(null, payload);
  });
  instance.addHook('onSend', (request, reply, payload, done) => {
    leaveUnread(request.raw, reply.raw);
    done(null, payload);
  });
  instance.addHook('onSend', async (request, reply, payload) => {
    const revisions = mayChange(request) ? await readModels.announce() : undefined;
    if (revisions !== undefined && isFromOtherProcess(request, host)) reply.header(REVISIONS_HEADER, revisions);
    return payload;
  });
  if (compresses) instance.addHook('onSend', compressReply);
  instance.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, done) => {
    const { row, internal } = (request.routeOptions.config ?? {}) as RouteContext;
    const operation = row?.operationId ?? internal ?? 'other';
    const { method } = request;
    const status = answeredStatus(reply.raw);
    endSpan((request as Traced).span, status);
    metrics.requests.add(1, method, operation, String(status));
    metrics.requestSeconds.add(reply.elapsedTime / 1000, method, operation);
    if (logsRequests && !isPoll(request))
      logRequest(logger, {
        ...{ requestId: request.id, method, path: request.routeOptions.url ?? 'unknown' },
        ...{ operation: row?.operationId ?? internal, status, ms: reply.elapsedTime },
        userId: (request as PlatformRequest).caller?.userId,
      });
    done();
  });
  instance.addContentTypeParser(RAW_BODY, { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  // Clients of these APIs often send JSON with another content type or none.
  instance.addContentTypeParser('*', { parseAs: 'string' }, jsonParser(instance));
}
