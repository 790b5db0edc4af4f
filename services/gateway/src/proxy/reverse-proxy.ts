import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { ServiceName } from '@tollgate/contracts';
import {
  CALLER_HEADER,
  currentTraceparent,
  FORWARDED_HEADER,
  Host,
  isLocal,
  leaveUnread,
  Logger,
  Metrics,
  parseRevisions,
  REVISIONS_HEADER,
  SecretBox,
  signForwarded,
  TRACEPARENT_HEADER,
} from '@tollgate/chassis';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unavailableBody } from './model-error.js';
import { ProxiedRequest, type ProxiedRequestParts } from './proxied-request.js';
import { INTERNAL_HEADERS, passHeaders } from './pass-headers.js';

/** Added to the owner's own time limits, which apply first; ends requests to an owner that hangs. */
const GRACE_SECONDS = 30;
/**
 * A call of a model may try several channels, ask for a result again and again, or wait for a model that thinks. The
 * relay bounds each of these itself; were it cut off before, it would charge for what the client did not get.
 */
const RELAY_SECONDS = 2 * 60 * 60;
const RETRY_AFTER_SECONDS = 1;

/** Passes requests to services in other processes. */
@Injectable()
export class ReverseProxy {
  private readonly timeouts: ProxiedRequestParts['timeouts'];
  private readonly relayTimeouts: ProxiedRequestParts['timeouts'];
  private readonly failures: { inc(labels: { owner: ServiceName; kind: 'unreachable' | 'failed' | 'cut' }): void };

  constructor(
    private readonly host: Host,
    private readonly secrets: SecretBox,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    const { TOLLGATE_UPSTREAM_TIMEOUT_SECONDS: first, TOLLGATE_STREAM_IDLE_SECONDS: idle } = host.env;
    this.timeouts = { headers: (first + GRACE_SECONDS) * 1000, body: (idle + GRACE_SECONDS) * 1000 };
    const patience = (Math.max(RELAY_SECONDS, 2 * first, 2 * idle) + GRACE_SECONDS) * 1000;
    this.relayTimeouts = { headers: patience, body: patience };
    this.failures = metrics.counter(
      'tollgate_gateway_proxy_failures_total',
      'Requests an owner did not answer whole.',
      ['owner', 'kind'],
    );
  }

  /** Counts a request that an owner did not answer, or not whole. */
  countFailure(owner: ServiceName, kind: 'unreachable' | 'failed' | 'cut'): void {
    this.failures.inc({ owner, kind });
  }

  reaches(owner: ServiceName): boolean {
    return this.host.directory.has(owner);
  }

  /** `caller` is the signed identity, if the gateway has authenticated the request. */
  pass(owner: ServiceName, request: FastifyRequest, reply: FastifyReply, caller?: string): void {
    const { directory } = this.host;
    reply.hijack();
    const recordFailure = (kind: 'failed' | 'cut', error: unknown): void => {
      this.countFailure(owner, kind);
      this.logger.warn(`${owner} did not answer a request whole`, { kind, error, requestId: request.id });
    };
    new ProxiedRequest({
      request: request.raw,
      response: reply.raw,
      headers: this.headersFor(request, caller),
      replicas: directory.inTurn(owner),
      timeouts: owner === 'relay' ? this.relayTimeouts : this.timeouts,
      onAnswered: (headers) => this.host.revisions.learn(parseRevisions(headers[REVISIONS_HEADER])),
      onUnreachable: (replica, error) => {
        // The directory logs the replica once; a log line per request would be too much.
        this.countFailure(owner, 'unreachable');
        directory.eject(replica, error);
      },
      onFailure: (error) => {
        recordFailure('failed', error);
        refuse(owner, request.raw, reply.raw, request.id);
      },
      onCut: (error) => recordFailure('cut', error),
    }).begin();
  }

  private headersFor(request: FastifyRequest, caller: string | undefined): OutgoingHttpHeaders {
    return this.headersOf(
      request.raw.headers,
      {
        requestId: request.id,
        address: request.ip,
        protocol: request.protocol === 'https' ? ('https' as const) : ('http' as const),
        host: request.host,
        local: isLocal(request),
      },
      caller,
    );
  }

  /** Headers of the request to the owner: the client's headers, and the facts signed by the gateway. */
  headersOf(
    headers: IncomingHttpHeaders,
    facts: Parameters<typeof signForwarded>[1],
    caller?: string,
  ): OutgoingHttpHeaders {
    const traceparent = currentTraceparent();
    const seen = this.host.revisions.header;
    return {
      ...passHeaders(headers, INTERNAL_HEADERS),
      ...(traceparent !== undefined && { [TRACEPARENT_HEADER]: traceparent }),
      [FORWARDED_HEADER]: signForwarded(this.secrets, facts),
      ...(seen !== '' && { [REVISIONS_HEADER]: seen }),
      ...(caller !== undefined && { [CALLER_HEADER]: caller }),
    };
  }
}

/** Says that the service cannot be reached, in the dialect of the call. */
export function refuse(
  owner: ServiceName,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): void {
  const body = JSON.stringify(unavailableBody(request.url ?? '', requestId, owner));
  leaveUnread(request, response);
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'retry-after': String(RETRY_AFTER_SECONDS),
    'x-oneapi-request-id': requestId,
  });
  response.end(body);
}
