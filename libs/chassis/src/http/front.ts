import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { OwnedRouteRow } from '@tollgate/contracts';

/** What is known of a request from its connection and head, before its route is looked up. */
export interface RawFacts {
  id: string;
  /** Of the client, as far as the proxies before us are trusted. */
  address: string;
}

/** Counts finished requests in metrics and log. */
export interface RequestCount {
  /** `ms`: how long it took. */
  note(row: OwnedRouteRow, requestId: string, outcome: { status: number; ms: number }): void;
}

/** Answers some requests ahead of an application, whose hooks cost more than such a request does by itself. */
export interface Front {
  /** Whether it answers the request; all others go to the application. */
  takes(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** The way in for another service of this process that passes requests on, so that they need not cross a socket. */
  readonly behind?: {
    /** A request that was passed on counts here as well as with the service that passed it on. */
    readonly requests: RequestCount;
    serve(request: IncomingMessage, response: ServerResponse, facts: RawFacts): void;
  };
}

const fronts = new WeakMap<Server, Front>();

/** `server` is that of the application, listening or not. */
export const putInFront = (server: Server, front: Front): void => void fronts.set(server, front);

export const frontOf = (server: Server): Front | undefined => fronts.get(server);
