import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Answers some requests ahead of an application, whose hooks cost more than such a request does by itself. */
export interface Front {
  /** Whether it answers the request; all others go to the application. */
  takes(request: IncomingMessage): boolean;
  serve(request: IncomingMessage, response: ServerResponse): void;
}

const fronts = new WeakMap<Server, Front>();

/** `server` is that of the application, listening or not. */
export const putInFront = (server: Server, front: Front): void => void fronts.set(server, front);

export const frontOf = (server: Server): Front | undefined => fronts.get(server);
