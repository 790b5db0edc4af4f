import type { IncomingHttpHeaders } from 'node:http';

/** One request as it reached the upstream, and what became of it. */
export interface WitnessEntry {
  method: string;
  /** With the query. */
  path: string;
  /** All of them, keys too: whether a key went where it must not go is what tests ask. */
  headers: IncomingHttpHeaders;
  /** The very bytes, because what was doubled or hidden in them is lost by parsing. */
  body: Buffer;
  /** By `performance.now()`; so below. */
  startedAt: number;
  /** Bytes of the reply's body handed to the network. */
  bytesSent: number;
  lastWriteAt: number;
  /** The scenario came to its end and everything was sent. */
  isFinished: boolean;
  /** The other side closed before that. */
  abortedAt: number | undefined;
}

/** Milliseconds from the last byte sent until the other side left; undefined when it stayed to the end. */
export const abortDelay = ({ abortedAt, lastWriteAt, startedAt }: WitnessEntry): number | undefined =>
  abortedAt === undefined ? undefined : abortedAt - Math.max(lastWriteAt, startedAt);
