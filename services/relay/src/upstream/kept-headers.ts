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

/** Dates that servers write today end so. */
const DATE = /GMT$/;

/** The seconds of a Retry-After, or those to its date; undefined when it is absent, unreadable or over. */
export function retryAfterOf(headers: UpstreamHeaders, now = Date.now()): number | undefined {
  const stated = String(headers['retry-after'] ?? '').trim();
  const seconds = DATE.test(stated) ? (Date.parse(stated) - now) / 1000 : Number(stated);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
