import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { OwnedRouteRow } from '@tollgate/contracts';

/** What is known of a request before anybody has looked at what it says. */
export interface RawFacts {
  id: string;
  /** Of the client, as far as the proxies before us are trusted. */
  address: string;
}

/** Where requests count that are over. */
export interface RequestCount {
  /** `ms`: how long it took. */
  note(row: OwnedRouteRow, requestId: string, outcome: { status: number; ms: number }): void;
}

/** Answers some requests ahead of an application, whose hooks cost more than such a request does by itself. */
export interface Front {
  /** Whether it answers the request; all others go to the application. */
  takes(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
  /** For another one of the same process that passes requests on to this one. */
  readonly behind?: {
    /** Where they count as this one's too. */
    readonly requests: RequestCount;
    serve(request: IncomingMessage, response: ServerResponse, facts: RawFacts): void;
  };
}

const fronts = new WeakMap<Server, Front>();

/** `server` is that of the application, listening or not. */
export const putInFront = (server: Server, front: Front): void => void fronts.set(server, front);

export const frontOf = (server: Server): Front | undefined => fronts.get(server);
