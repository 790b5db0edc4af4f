import { mostUnbooked } from '@tollgate/contracts';
import type { Pending } from './spool.js';

/** Fewest records that billing is asked about in one call. */
const FEWEST = 100;
/** Two windows share a call. */
const MOST = mostUnbooked / 2;
/** A record that billing still lacks this many milliseconds after it was sent is sent again. */
const RESEND_MS = 60_000;

/** Records in the order of their turn, of which so many are asked about at once as are likely to be booked. */
class Window {
  readonly records = new Map<string, Pending>();
  private width = FEWEST;

  next(count = this.width): Pending[] {
    const next: Pending[] = [];
    for (const pending of this.records.values()) {
      if (next.length === count) break;
      next.push(pending);
    }
    return next;
  }

  /**
   * Adapts the width to the share of booked records: ids that are not booked yet are sent again with every call, and
   * each call costs three processes time. Returns whether more are likely to be booked already.
   */
  adapt(asked: number, booked: number): boolean {
    const isFull = asked === this.width;
    if (asked === 0) return false;
    if (asked === booked) this.width = Math.min(MOST, this.width * 2);
    else if (booked < asked / 2) this.width = Math.max(FEWEST, Math.ceil(this.width / 2));
    return isFull && booked > 0;
  }
}

/** What a reply of billing means for the records that it was asked about. */
interface Confirmed {
  booked: Pending[];
  /** To be sent again. */
  again: Pending[];
  /** Whether more are likely to be booked already. */
  hasMore: boolean;
}

/**
 * Records that are in the event log and may not be booked yet. Billing is asked about the oldest ones first. Those that
 * it lacked before, such as the records of one partition that is stuck, are asked about by turns beside the others:
 * ahead of them they would soon be the only ones, and none of the others would be found booked.
 */
export class SentRecords {
  private readonly fresh = new Window();
  private readonly late = new Window();

  get size(): number {
    return this.fresh.records.size + this.late.records.size;
  }

  add(pending: Pending): void {
    this.fresh.records.set(pending.id, pending);
  }

  /** When the oldest record was closed, in monotonic milliseconds; `Infinity` without records. */
  get since(): number {
    const [oldest] = this.fresh.next(1);
    let since = oldest?.since ?? Infinity;
    for (const pending of this.late.records.values()) since = Math.min(since, pending.since);
    return since;
  }

  /** Asks billing once; `listUnbooked` gets ids and returns those that are not booked. */
  async confirm(listUnbooked: (ids: string[]) => Promise<readonly string[]>, now: () => number): Promise<Confirmed> {
    const asked = [this.fresh, this.late].map((window) => ({ window, records: window.next() }));
    const all = asked.flatMap(({ records }) => records);
    if (all.length === 0) return { booked: [], again: [], hasMore: false };
    const lacking = new Set(await listUnbooked(all.map(({ id }) => id)));
    const again: Pending[] = [];
    for (const pending of all) {
      this.remove(pending);
      if (!lacking.has(pending.id)) continue;
      if (now() - pending.sentAt >= RESEND_MS) again.push(pending);
      else this.late.records.set(pending.id, pending);
    }
    const booked = all.filter(({ id }) => !lacking.has(id));
    const mores = asked.map(({ window, records }) =>
      window.adapt(records.length, records.filter(({ id }) => !lacking.has(id)).length),
    );
    return { booked, again, hasMore: mores.includes(true) };
  }

  private remove({ id }: Pending): void {
    this.fresh.records.delete(id);
    this.late.records.delete(id);
  }
}
