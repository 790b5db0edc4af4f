import type { OutgoingHttpHeaders } from 'node:http';

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** What a client may see of an upstream's headers: request ids and rate limits, nothing of the account behind them. */
const KEPT =
  /^(x-request-id|request-id|x-ratelimit-.+|anthropic-ratelimit-.+|retry-after|openai-processing-ms|openai-version)$/;

/** For `writeHead`, which is cheaper than a header at a time. */
export function keptHeaders(headers: UpstreamHeaders): OutgoingHttpHeaders {
  const kept: OutgoingHttpHeaders = {};
  for (const name in headers) if (headers[name] !== undefined && KEPT.test(name)) kept[name] = headers[name];
  return kept;
}

/** Seconds of a Retry-After; undefined when absent or a date. */
export function retryAfterOf(headers: UpstreamHeaders): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
