import { currentTraceparent, TRACEPARENT_HEADER } from '@tollgate/chassis';
import type { ClientRequest, UpstreamRequest } from '@tollgate/providers';
import type { RelayCall } from '../call/relay-call.js';

/** What a dialect needs to know of a call. */
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
  ...(form && { form }),
  ...(apiVersion !== undefined && { apiVersion }),
  ...(pathAndQuery !== undefined && { pathAndQuery }),
  ...(outputLimit !== undefined && { outputLimit }),
});

/** Whoever traces our side sees the upstream's as part of it. */
export function traced(request: UpstreamRequest): UpstreamRequest {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return request;
  return { ...request, headers: { ...request.headers, [TRACEPARENT_HEADER]: traceparent } };
}
