import type { IncomingHttpHeaders } from 'node:http';

/** The header of W3C Trace Context. We make no spans, so it is passed on as it came: we are a hop, not a participant. */
export const TRACEPARENT_HEADER = 'traceparent';

const VALID = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace a request belongs to; undefined without one, or when what was sent is none. */
export function traceparentOf(headers: Readonly<IncomingHttpHeaders>): string | undefined {
  const sent = headers[TRACEPARENT_HEADER];
  return typeof sent === 'string' && VALID.test(sent) ? sent : undefined;
}

export const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);
