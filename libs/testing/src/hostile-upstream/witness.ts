import type { IncomingHttpHeaders } from 'node:http';

/** A request as received by the upstream, and how it ended. */
export interface WitnessEntry {
  method: string;
  /** Path with query string. */
  path: string;
  /** All headers, keys included, because tests check whether a key was sent where it must not be. */
  headers: IncomingHttpHeaders;
  /** The raw bytes, because parsing would lose duplicate or hidden members. */
  body: Buffer;
  /** In milliseconds of `performance.now()`, as all times here. */
  startedAt: number;
  /** Bytes of the reply's body that were handed to the network. */
  bytesSent: number;
  lastWriteAt: number;
  /** Whether the scenario ended and everything was sent. */
  isFinished: boolean;
  /** When the client closed the connection before that. */
  abortedAt: number | undefined;
}

/** Milliseconds from the last byte sent until the client disconnected; undefined if it stayed to the end. */
export const abortDelay = ({ abortedAt, lastWriteAt, startedAt }: WitnessEntry): number | undefined =>
  abortedAt === undefined ? undefined : abortedAt - Math.max(lastWriteAt, startedAt);
