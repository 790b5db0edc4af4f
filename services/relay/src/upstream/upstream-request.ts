import { currentTraceparent, TRACEPARENT_HEADER } from '@tollgate/chassis';
import type { ClientRequest, UpstreamRequest } from '@tollgate/providers';
import type { RelayCall } from '../call/relay-call.js';

/** The parts of a call that a dialect needs. */
export const toClientRequest = (
  { requestId, dialect, json, bytes, form, headers, apiVersion, pathAndQuery, isStream }: RelayCall,
  outputLimit?: number,
): ClientRequest => ({
  requestId,
  dialect,
  json,
  bytes,
  headers,
  isStream,
  form,
  apiVersion,
  pathAndQuery,
  outputLimit,
});

/** Passes on the trace context, so that the upstream's spans become part of our trace. */
export function traced(request: UpstreamRequest): UpstreamRequest {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return request;
  return { ...request, headers: { ...request.headers, [TRACEPARENT_HEADER]: traceparent } };
}
