import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { OwnedRouteRow } from '@tollgate/contracts';

/** Facts of a request from its connection and head, before a route is matched. */
export interface RawFacts {
  id: string;
  /** Address of the client, as far as the proxies before us are trusted. */
  address: string;
}

/** Records finished requests in metrics and log. */
export interface RequestCount {
  /** `ms`: duration of the request. */
  note(row: OwnedRouteRow, requestId: string, outcome: { status: number; ms: number }): void;
}

/** Answers some requests before they reach an application, whose hooks would cost more than such a request itself. */
export interface Front {
  /** Whether this front answers the request; all others go to the application. */
  takes(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** Entry point for another service of this process that forwards requests, so that these need not cross a socket. */
  readonly behind?: {
    /** Records a forwarded request here too, in addition to the service that forwarded it. */
    readonly requests: RequestCount;
    serve(request: IncomingMessage, response: ServerResponse, facts: RawFacts): void;
  };
}

const fronts = new WeakMap<Server, Front>();

/** `server` is the application's HTTP server, listening or not. */
export const putInFront = (server: Server, front: Front): void => void fronts.set(server, front);

export const frontOf = (server: Server): Front | undefined => fronts.get(server);
