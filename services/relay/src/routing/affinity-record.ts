import { Injectable } from '@nestjs/common';
import { Metrics, growingCache } from '@tollgate/chassis';

const CONVERSATIONS = 50_000;
/** Providers drop a cached prompt that was not read for this long. */
const KEPT_MS = 60 * 60_000;

/**
 * Measures how many turns of conversations went to the channel and key that have their prompt cached. Routing does not
 * depend on it.
 */
@Injectable()
export class AffinityRecord {
  private readonly places = growingCache<string, string>({ most: CONVERSATIONS, ttl: KEPT_MS });
  private readonly turns: { inc(labels: { outcome: 'first' | 'kept' | 'moved' }): void };

  constructor(metrics: Metrics) {
    this.turns = metrics.counter(
      'tollgate_relay_affinity_turns_total',
      'Served turns of conversations that this replica has seen: at the channel and key of the turn before, or at another.',
      ['outcome'],
    );
  }

  /** `place` is the channel, with its key where it has several. */
  note(conversation: string | undefined, place: string): void {
    if (conversation === undefined) return;
    const before = this.places.get(conversation);
    this.turns.inc({ outcome: before === undefined ? 'first' : before === place ? 'kept' : 'moved' });
    this.places.set(conversation, place);
  }
}
