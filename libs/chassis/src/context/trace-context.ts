import type { IncomingHttpHeaders } from 'node:http';
import type { SpanContext } from '@opentelemetry/api';

/** The header of W3C Trace Context. */
export const TRACEPARENT_HEADER = 'traceparent';

const VALID = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace a request belongs to; undefined without one, or when what was sent is none. */
export function traceparentOf(headers: Readonly<IncomingHttpHeaders>): string | undefined {
  const sent = headers[TRACEPARENT_HEADER];
  return typeof sent === 'string' && VALID.test(sent) ? sent : undefined;
}

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

export const traceparentFor = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

/** The span that a traceparent names, in another process. */
export const remoteSpanOf = (traceparent: string): SpanContext => ({
  traceId: traceIdOf(traceparent),
  spanId: traceparent.slice(36, 52),
  traceFlags: Number.parseInt(traceparent.slice(53), 16),
  isRemote: true,
});
