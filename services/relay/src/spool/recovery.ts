import type { EventEnvelope, RequestConsumed } from '@tollgate/contracts';
import { decodeFrames, FrameKind } from './frames.js';

/** Written before the first byte: the whole record as it would be booked if nothing more were ever known. */
export interface OpenRecord {
  id: string;
  event: EventEnvelope;
}

/** What was delivered so far, already rated. */
export interface ProgressRecord {
  id: string;
  data: Pick<RequestConsumed, 'usage' | 'usageSource' | 'rating' | 'quota' | 'durationMs' | 'firstTokenMs'>;
}

export interface Recovered {
  /** Every record that may not be booked yet, by event id. */
  events: Map<string, EventEnvelope>;
  /** Requests that were running when the process died. */
  interrupted: number;
}

/**
 * Reads segments in order. A request with `close` is what it says; one that only has `open` was cut off by the death of its
 * relay and is booked as `interrupted` from its last progress, under the same event id, so that it can never be booked twice.
 */
export function recover(segments: readonly Buffer[]): Recovered {
  const events = new Map<string, EventEnvelope>();
  const running = new Map<string, EventEnvelope>();
  const readers: Record<FrameKind, (payload: string) => void> = {
    [FrameKind.open]: (payload) => {
      const { id, event } = JSON.parse(payload) as OpenRecord;
      if (!events.has(id)) running.set(id, event);
    },
    [FrameKind.progress]: (payload) => {
      const { id, data } = JSON.parse(payload) as ProgressRecord;
      const event = running.get(id);
      if (event) running.set(id, { ...event, data: { ...(event.data as RequestConsumed), ...data } });
    },
    [FrameKind.close]: (payload) => {
      const event = JSON.parse(payload) as EventEnvelope;
      running.delete(event.id);
      events.set(event.id, event);
    },
  };
  for (const segment of segments) for (const { kind, payload } of decodeFrames(segment).frames) readers[kind](payload);
  for (const [id, event] of running) {
    events.set(id, { ...event, data: { ...(event.data as RequestConsumed), outcome: 'interrupted' } });
  }
  return { events, interrupted: running.size };
}
