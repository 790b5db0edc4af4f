import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Upgrade } from '@tollgate/chassis';

/** A request to a route of the relay, whether it was taken ahead of the application or came through its router. */
export interface HotRequest {
  readonly id: string;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** The path without the query. */
  readonly path: string;
  /** The client's IP address. */
  readonly address: string;
  /** Set where the client asks to upgrade to another protocol than HTTP. */
  readonly upgrade?: Upgrade;
  /** The parameter of the path: a model, the action of a task, or a task's id. */
  readonly named?: string;
  /** Filled in as the caller becomes known; the trace of a refused call names it. */
  caller?: { tokenId: number; userId: number; model: string };
}

const PATH_END = /[?#]/;

/** The path of a URL, without the query. It ends at `#` too, as for the router, although clients do not send that. */
export function pathOf(url = '/'): string {
  const end = url.search(PATH_END);
  return end === -1 ? url : url.slice(0, end);
}

/** The path without a trailing slash, as the router reads it. */
export const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** A parameter of the query; `undefined` when it is absent or repeated. */
export function queryParameter({ url = '' }: IncomingMessage, name: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  const values = new URLSearchParams(url.slice(start + 1)).getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
