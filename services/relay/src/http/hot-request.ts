import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Upgrade } from '@tollgate/chassis';

/** A request to a route of the relay, by whichever door it came: ahead of the application, or through it. */
export interface HotRequest {
  readonly id: string;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** The path without the query. */
  readonly path: string;
  /** Of the client. */
  readonly address: string;
  /** Set where the client asks for another protocol than HTTP. */
  readonly upgrade?: Upgrade;
  /** What the path names: a model, the action of a task, or its id. */
  readonly named?: string;
  /** Set as it becomes known; what a refusal is told to be about. */
  caller?: { tokenId: number; userId: number; model: string };
}

/** The path of a URL, without the query. */
export function pathOf(url = '/'): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** A parameter of the query; undefined when it is absent or there more than once. */
export function queryParameter({ url = '' }: IncomingMessage, name: string): string | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  const values = new URLSearchParams(url.slice(start + 1)).getAll(name);
  return values.length === 1 ? values[0] : undefined;
}
