import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { type OwnedRouteRow, relayRoutes } from '@tollgate/contracts';
import {
  type Front,
  frontOf,
  Host,
  isSecure,
  isTracing,
  Logger,
  Metrics,
  putInFront,
  RawRequests,
  REQUEST_ID,
} from '@tollgate/chassis';
import { allowAnyOrigin } from '../browser/cross-origin.js';
import { INTERNAL_HEADERS } from './pass-headers.js';
import { demandTls } from '../browser/private-replies.js';

/** Model calls with a token, which only the relay has to check. */
const rows = new Map<string, OwnedRouteRow>(
  Object.values(relayRoutes)
    .filter(({ auth }) => auth === 'token')
    .map((row) => [row.path, row]),
);

/**
 * When gateway and relay run in one process, passes a model call from the listener directly to the relay, without an
 * application framework in between. It does what the gateway would do: removes internal headers that a client has sent,
 * allows any origin, and counts the call in the gateway's metrics.
 */
@Injectable()
export class ModelFront {
  private readonly requests: RawRequests;

  constructor(
    private readonly host: Host,
    logger: Logger,
    metrics: Metrics,
  ) {
    this.requests = new RawRequests({ host, logger, metrics });
  }

  /** While the relay has not started yet, or if it runs elsewhere, requests go through the application. */
  open(server: Server): void {
    putInFront(server, {
      takes: (raw) => rows.has(raw.url ?? '') && this.relay?.takes(raw) === true,
      serve: (raw, response) => this.serve(raw, response),
    });
  }

  private get relay(): Front | undefined {
    const instance = this.host.instances.get('relay');
    return instance && frontOf(instance.server);
  }

  private serve(raw: IncomingMessage & { [REQUEST_ID]?: string }, response: ServerResponse): void {
    const { relay } = this;
    const row = rows.get(raw.url ?? '');
    if (!relay || !row) throw new Error('the relay went away while it was asked');
    for (const header of INTERNAL_HEADERS) delete raw.headers[header];
    // With tracing on, gateway and relay each handle the request, so that each service has a span of its own.
    const behind = isTracing() ? undefined : relay.behind;
    this.requests.serve({ raw, response, row, also: behind?.requests }, (facts) => {
      raw[REQUEST_ID] = facts.id;
      if (isSecure({ protocol: this.requests.protocolOf(raw) }, this.host.env)) demandTls(response);
      allowAnyOrigin(response);
      if (behind) behind.serve(raw, response, facts);
      else relay.serve(raw, response);
    });
  }
}
