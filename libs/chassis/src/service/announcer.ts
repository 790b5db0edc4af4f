import { inFreshContext } from '../context/fresh-context.js';
import type { KeyValue } from '../key-value/key-value.js';
import type { Logger } from '../log/logger.js';
import { broadcastChannel } from './broadcast-channel.js';

const GAP_MS = 250;
const MAX_IDS = 1000;

/**
 * Broadcasts the ids of changed entities after the change was committed: at once when the last message is some time ago, gathered while
 * changes continue, so that a busy service sends a few messages a second for any number of users. Callers do not wait for the broadcast.
 */
export class Announcer {
  private readonly gathered = new Set<number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly topic: string,
    private readonly keyValue: KeyValue,
    private readonly logger: Logger,
  ) {}

  announce(ids: Iterable<number>): void {
    for (const id of ids) this.gathered.add(id);
    if (this.gathered.size > 0 && !this.timer) this.send();
  }

  private send(): void {
    // The gathered ids come from many requests, so the timer must not run in the context of one of them.
    this.timer = inFreshContext(() => setTimeout(() => this.rested(), GAP_MS));
    this.timer.unref();
    const ids = [...this.gathered];
    this.gathered.clear();
    for (let from = 0; from < ids.length; from += MAX_IDS) {
      this.keyValue
        .publish(broadcastChannel(this.topic), ids.slice(from, from + MAX_IDS).join())
        .catch((error: unknown) => this.logger.debug('not broadcast', { topic: this.topic, error }));
    }
  }

  private rested(): void {
    this.timer = undefined;
    if (this.gathered.size > 0) this.send();
  }
}
