import type { EventEnvelope, RequestConsumed } from '@tollgate/contracts';
import { decodeFrames, type Frame, FrameKind } from './frames.js';
import { lifted } from './leftover.js';
import type { FrameLocation, Segment } from './segment-writer.js';

/** The record that is booked if nothing later is known of the request. */
export interface OpenRecord {
  id: string;
  event: EventEnvelope;
}

/** What was delivered so far, already rated. */
export interface ProgressRecord {
  id: string;
  data: Pick<RequestConsumed, 'usage' | 'usageSource' | 'quota' | 'durationMs' | 'firstTokenMs'>;
}

/** A request that was running when its relay died. */
interface Interrupted {
  event: EventEnvelope;
  /** The segments that the event was built from; they are kept until it is booked. */
  segments: Set<Segment>;
}

export interface Recovered {
  /** Closed records by event id, with their key and location. */
  closed: Map<string, { key: string; location: FrameLocation }>;
  interrupted: Map<string, Interrupted>;
}

/**
 * Reads segments in order. A request with a `close` frame is booked as that says. One with only `open` was cut off by
 * the death of its relay; it is booked as `interrupted` with its last progress, under the same event id, so it can
 * never be booked twice. Nothing is written, so reading the same files again yields the same records.
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
