import type { ServerResponse } from 'node:http';

/** What a client may see of an upstream's headers: request ids and rate limits, nothing of the account behind them. */
const KEPT =
  /^(x-request-id|request-id|x-ratelimit-.+|anthropic-ratelimit-.+|retry-after|openai-processing-ms|openai-version)$/;

export function copyHeaders(headers: Record<string, string | string[] | undefined>, response: ServerResponse): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && KEPT.test(name)) response.setHeader(name, value);
  }
}

/** Seconds of a Retry-After; undefined when absent or a date. */
export function retryAfterOf(headers: Record<string, string | string[] | undefined>): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}
