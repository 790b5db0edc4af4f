import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import type { Span } from '@opentelemetry/api';
import { traceparentFor, traceparentOf } from './trace-context.js';

interface ScopedRequest {
  /** `undefined` in traced work that no request started. */
  readonly id?: string;
  readonly headers?: Readonly<IncomingHttpHeaders>;
  /** The span now running for the request; present only while spans are collected. */
  readonly span?: Span;
}

/** The request that the current work belongs to. The id is read only when needed, because it may be assigned after the work began. */
const scope = new AsyncLocalStorage<ScopedRequest>();

export const inRequest = <T>(request: ScopedRequest, work: () => T): T => scope.run(request, work);

export const currentScope = (): ScopedRequest | undefined => scope.getStore();

/** `undefined` in work that no request started: polls, sweeps, event handlers. */
export const currentRequestId = (): string | undefined => scope.getStore()?.id;

/** The trace of the current work: that of our own span, else the one sent with the request. */
export function currentTraceparent(): string | undefined {
  const current = scope.getStore();
  if (current?.span) return traceparentFor(current.span.spanContext());
  return current?.headers && traceparentOf(current.headers);
}
