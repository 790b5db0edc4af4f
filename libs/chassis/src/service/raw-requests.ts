import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OwnedRouteRow } from '@tollgate/contracts';
import type { Logger } from '../log/logger.js';
import { inRequest } from '../context/request-scope.js';
import type { Metrics } from '../metrics/metrics.js';
import { type Host, REQUEST_ID } from './host.js';
import { newId } from './new-id.js';
import { endSpan, isTracing, serverSpan } from '../tracing/tracing.js';
import { logRequest, answeredStatus } from '../http/access-log.js';
import { forwardedOf } from '../http/forwarded.js';
import type { RawFacts, RequestCount } from '../http/front.js';
import { ClientAddresses, trustedProxies } from '../http/trusted-proxies.js';
import { hasSwitched, whenOver } from '../http/upgrade-door.js';

const SWITCHING_PROTOCOLS = 101;

/** The request id: created here, or by the gateway in this process or under its signature; never taken from a client. */
export const requestIdOf = (
  { secrets }: Pick<Host, 'secrets'>,
  raw: IncomingMessage & { [REQUEST_ID]?: string },
): string => raw[REQUEST_ID] ?? forwardedOf(secrets, raw)?.requestId ?? newId();

interface RawRequest {
  raw: IncomingMessage;
  response: ServerResponse;
  row: OwnedRouteRow;
  also?: RequestCount | undefined;
}

interface Parts {
  host: Pick<Host, 'env' | 'secrets'>;
  logger: Logger;
  metrics: Pick<Metrics, 'requests' | 'requestSeconds'>;
}

/** Does for requests that are answered ahead of an application what its hooks do for the others. */
export class RawRequests implements RequestCount {
  private readonly addresses: ClientAddresses;
  private readonly logsRequests: boolean;

  constructor(private readonly parts: Parts) {
    const { env } = parts.host;
    this.addresses = new ClientAddresses(trustedProxies(env));
    this.logsRequests = env.LOG_REQUESTS === 'on';
  }

  /**
   * Runs `work` under the request's id and span, and records the duration until the answer was sent. `work` must not throw. `also` is
   * another service of this process that does the work; the request is counted there as well.
   */
  serve({ raw, response, row, also }: RawRequest, work: (facts: RawFacts) => void): void {
    const startedAt = performance.now();
    const facts = this.factsOf(raw);
    const isOurs = (): boolean => forwardedOf(this.parts.host.secrets, raw) !== undefined;
    const span = isTracing() ? spanOf({ headers: raw.headers, isOurs }, row, facts.id) : undefined;
    whenOver(response, () => {
      const status = hasSwitched(response) ? SWITCHING_PROTOCOLS : answeredStatus(response);
      endSpan(span, status);
      const outcome = { status, ms: performance.now() - startedAt };
      this.note(row, facts.id, outcome);
      also?.note(row, facts.id, outcome);
    });
    inRequest(span ? { id: facts.id, span } : { id: facts.id, headers: raw.headers }, () => work(facts));
  }

  /** Protocol that the client used, as far as the proxies before us are trusted. */
  protocolOf(raw: IncomingMessage): string {
    return this.addresses.protocolOf(raw);
  }

  note(
    { method, path, operationId: operation }: OwnedRouteRow,
    requestId: string,
    { status, ms }: { status: number; ms: number },
  ): void {
    const { metrics, logger } = this.parts;
    metrics.requests.add(1, method, operation, String(status));
    metrics.requestSeconds.add(ms / 1000, method, operation);
    if (this.logsRequests) logRequest(logger, { requestId, method, path, operation, status, ms });
  }

  private factsOf(raw: IncomingMessage): RawFacts {
    const { host } = this.parts;
    const forwarded = forwardedOf(host.secrets, raw);
    return { id: requestIdOf(host, raw), address: forwarded?.address ?? this.addresses.addressOf(raw) };
  }
}

const spanOf = (
  sender: Parameters<typeof serverSpan>[1],
  { method, path }: OwnedRouteRow,
  id: string,
): ReturnType<typeof serverSpan> =>
  serverSpan(`${method} ${path}`, sender, {
    'http.request.method': method,
    'http.route': path,
    'tollgate.request_id': id,
  });
