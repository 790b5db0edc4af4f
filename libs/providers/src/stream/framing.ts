/**
 * Splits an upstream's bytes into whole events, however they are chunked. Events are returned as server-sent events, so that readers do not
 * depend on the upstream's framing.
 */
export interface Framing {
  /** True when no part of the next event has arrived. */
  readonly isBetweenEvents: boolean;
  push(chunk: Buffer): Buffer[];
  /** The bytes after the last whole event; the caller decides whether to use them. */
  end(): Buffer | undefined;
}

/** An upstream's framing of streams, and the content type by which a stream is recognised. */
export interface StreamFraming {
  contentType: string;
  open(): Framing;
}
