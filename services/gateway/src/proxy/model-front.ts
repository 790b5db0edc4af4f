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

/** Calls of models by key, which nobody but the relay has a say in. */
const rows = new Map<string, OwnedRouteRow>(
  Object.values(relayRoutes)
    .filter(({ auth }) => auth === 'token')
    .map((row) => [row.path, row]),
);

/**
 * In one process a call of a model goes from the listener straight to the relay, through no application at all. What the gateway
 * owes it is little: nothing of ours is taken from the client, any page may call, and the call counts as one of the gateway's.
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

  /** The relay may start later, or run elsewhere: then everything goes through the application. */
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
    // A span of each service shows which of them took the time.
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
