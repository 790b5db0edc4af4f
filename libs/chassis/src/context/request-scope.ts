import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '@opentelemetry/api';
import { traceparentFor, traceparentOf } from './trace-context.js';

interface ScopedRequest {
  /** Undefined in traced work that no request asked for. */
  readonly id?: string;
  readonly headers?: Readonly<IncomingHttpHeaders>;
  /** What is being done for it now, where spans are collected. */
  readonly span?: Span;
}

/** The request this work is done for. It is looked at only when it is needed: its id may become known after the start. */
const scope = new AsyncLocalStorage<ScopedRequest>();

export const inRequest = <T>(request: ScopedRequest, work: () => T): T => scope.run(request, work);

export const currentScope = (): ScopedRequest | undefined => scope.getStore();

/** Undefined in work that no request asked for: polls, sweeps, events. */
export const currentRequestId = (): string | undefined => scope.getStore()?.id;

/** The trace that this work belongs to: our span's, else that of whoever sent the request. */
export function currentTraceparent(): string | undefined {
  const current = scope.getStore();
  if (current?.span) return traceparentFor(current.span.spanContext());
  return current?.headers && traceparentOf(current.headers);
}
