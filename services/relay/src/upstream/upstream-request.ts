import { currentTraceparent, TRACEPARENT_HEADER } from '@tollgate/chassis';
import { isForwardable } from '@tollgate/contracts/channel-settings';
import type { ChannelSetting, ClientRequest, UpstreamRequest } from '@tollgate/providers';
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

/**
 * Adds the client's headers that the channel forwards. Those that the dialect itself sets stay as they are, so the client cannot choose a
 * credential or the type of the body.
 */
export function withClientHeaders(
  request: UpstreamRequest,
  { forward_headers: names }: ChannelSetting,
  headers: RelayCall['headers'],
): UpstreamRequest {
  if (!Array.isArray(names)) return request;
  const forwarded: Record<string, string> = {};
  for (const name of names) {
    const value = isForwardable(name) ? headers[name.toLowerCase()] : undefined;
    if (typeof value === 'string') forwarded[name.toLowerCase()] = value;
  }
  const set = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...request, headers: { ...forwarded, ...set } };
}

/** Passes on the trace context, so that the upstream's spans become part of our trace. */
export function traced(request: UpstreamRequest): UpstreamRequest {
  const traceparent = currentTraceparent();
  if (traceparent === undefined) return request;
  return { ...request, headers: { ...request.headers, [TRACEPARENT_HEADER]: traceparent } };
}
