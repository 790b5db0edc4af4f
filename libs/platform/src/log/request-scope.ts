import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { traceparentOf } from './trace-context.js';

interface ScopedRequest {
  readonly id: string;
  readonly headers?: Readonly<IncomingHttpHeaders>;
}

/** The request this work is done for. It is looked at only when it is needed: its id may become known after the start. */
const scope = new AsyncLocalStorage<ScopedRequest>();

export const inRequest = <T>(request: ScopedRequest, work: () => T): T => scope.run(request, work);

/** Undefined in work that no request asked for: polls, sweeps, events. */
export const currentRequestId = (): string | undefined => scope.getStore()?.id;

/** The trace of the request, if whoever sent it traces. */
export function currentTraceparent(): string | undefined {
  const headers = scope.getStore()?.headers;
  return headers && traceparentOf(headers);
}
