/**
 * Cuts the bytes of an upstream into whole events, whatever the chunking. What comes out are server-sent events, so that whoever
 * reads or forwards them need not know how they came.
 */
export interface Framing {
  /** True when nothing of a next event has arrived. */
  readonly isBetweenEvents: boolean;
  push(chunk: Buffer): Buffer[];
  /** What came after the last whole event; the caller decides whether it is worth anything. */
  end(): Buffer | undefined;
}

/** How an upstream frames its streams, and how one knows such a stream. */
export interface StreamFraming {
  contentType: string;
  open(): Framing;
}
