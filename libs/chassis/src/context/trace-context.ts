import type { IncomingHttpHeaders } from 'node:http';
import type { SpanContext } from '@opentelemetry/api';

/** Header name defined by W3C Trace Context. */
export const TRACEPARENT_HEADER = 'traceparent';

const VALID = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The `traceparent` header of a request; `undefined` when it is absent or malformed. */
export function traceparentOf(headers: Readonly<IncomingHttpHeaders>): string | undefined {
  const sent = headers[TRACEPARENT_HEADER];
  return typeof sent === 'string' && VALID.test(sent) ? sent : undefined;
}

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

export const traceparentFor = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** The span in another process that a `traceparent` identifies. */
export const remoteSpanOf = (traceparent: string): SpanContext => ({
  traceId: traceIdOf(traceparent),
  spanId: traceparent.slice(36, 52),
  traceFlags: Number.parseInt(traceparent.slice(53), 16),
  isRemote: true,
});
