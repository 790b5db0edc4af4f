import type { EventEnvelope, RequestConsumed } from '@tollgate/contracts';
import { decodeFrames, type Frame, FrameKind } from './frames.js';
import { lifted } from './leftover.js';
import type { FrameLocation, Segment } from './segment-writer.js';

/** The whole record as it would be booked if nothing more were ever known. */
export interface OpenRecord {
  id: string;
  event: EventEnvelope;
}

/** What was delivered so far, already rated. */
export interface ProgressRecord {
  id: string;
  data: Pick<RequestConsumed, 'usage' | 'usageSource' | 'quota' | 'durationMs' | 'firstTokenMs'>;
}

/** A request whose relay died while it ran. */
export interface Interrupted {
  event: EventEnvelope;
  /** What the event was put together from; all of it is kept until it is booked. */
  segments: Set<Segment>;
}

export interface Recovered {
  /** Closed records by event id: where they lie, and their key. */
  closed: Map<string, { key: string; location: FrameLocation }>;
  interrupted: Map<string, Interrupted>;
}

/**
 * Reads segments in order. A request with `close` is what it says; one that only has `open` was cut off by the death of its
 * relay and is booked as `interrupted` from its last progress, under the same event id, so that it can never be booked twice.
 * Nothing is written: whoever reads the same files again finds the same records.
 */
export async function recover(segments: AsyncIterable<{ segment: Segment; bytes: Buffer }>): Promise<Recovered> {
  const recovered: Recovered = { closed: new Map(), interrupted: new Map() };
  for await (const { segment, bytes } of segments) {
    for (const frame of decodeFrames(bytes).frames) take(recovered, segment, frame);
  }
  for (const running of recovered.interrupted.values())
    running.event = lifted(merge(running.event, { outcome: 'interrupted' }));
  return recovered;
}

function take({ closed, interrupted }: Recovered, segment: Segment, { kind, payload, offset, size }: Frame): void {
  if (kind === FrameKind.open) {
    const { id, event } = JSON.parse(payload) as OpenRecord;
    if (!closed.has(id)) interrupted.set(id, { event, segments: new Set([segment]) });
  } else if (kind === FrameKind.progress) {
    const { id, data } = JSON.parse(payload) as ProgressRecord;
    const running = interrupted.get(id);
    if (!running) return;
    running.event = merge(running.event, data);
    running.segments.add(segment);
  } else {
    const { id, subject } = JSON.parse(payload) as EventEnvelope;
    interrupted.delete(id);
    closed.set(id, { key: subject, location: { segment, offset, size } });
  }
}

const merge = (event: EventEnvelope, data: Partial<RequestConsumed>): EventEnvelope => ({
  ...event,
  data: { ...(event.data as RequestConsumed), ...data },
});
