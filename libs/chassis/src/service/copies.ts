import { setTimeout as pause } from 'node:timers/promises';
import type { KeyValue } from '../key-value/key-value.js';
import type { Logger } from '../log/logger.js';
import type { Revisions } from './revisions.js';
import type { SeenRevisions } from './seen-revisions.js';

/** Nobody waits for an owner that was not there a moment ago. */
const PAUSE_MS = 1000;

/** What a service holds of another one's data, as of a revision. */
export interface Copy {
  /** Of the revision, as its owner calls it. */
  name: string;
  revision(): number;
  /** Asks the owner, and is as new as its answer then. */
  catchUp(): Promise<void>;
}

/**
 * The copies of one service. Before a request is answered they are as new as anything this process has seen; in all other cases
 * they may be a second behind. A service that owns revisions says after each change where they stand.
 */
export class Copies {
  private readonly copies: Copy[] = [];
  private readonly running = new Map<Copy, Promise<void>>();
  private owned: (() => Promise<Revisions>) | undefined;

  /** When an owner did not answer, in milliseconds. */
  private readonly failed = new Map<Copy, number>();

  constructor(
    private readonly seen: SeenRevisions,
    private readonly keyValue: Pick<KeyValue, 'publish'>,
    private readonly logger: Logger,
    private readonly now = (): number => performance.now(),
  ) {}

  /** In the order in which they build on each other. */
  add(copy: Copy): void {
    this.copies.push(copy);
  }

  /** Called by the owner of revisions, with the way to read where they stand. */
  own(read: () => Promise<Revisions>): void {
    this.owned = read;
  }

  get areBehind(): boolean {
    return this.copies.some((copy) => this.isBehind(copy));
  }

  /** Resolves in any case: while an owner does not answer, what is in memory serves. */
  async catchUp(): Promise<void> {
    for (const copy of this.copies) {
      if (this.isBehind(copy)) await this.bring(copy);
    }
  }

  /** The same for callers who may not be kept waiting: whoever comes in the second after one waited in vain is not. */
  async catchUpWithin(milliseconds: number): Promise<void> {
    const inTime = new AbortController();
    const late = pause(milliseconds, true, { signal: inTime.signal }).catch(() => false);
    const isLate = await Promise.race([this.catchUp().then(() => false), late]);
    inTime.abort();
    if (isLate) for (const copy of this.copies) if (this.isBehind(copy)) this.failed.set(copy, this.now());
  }

  /** Where the owned revisions stand after a change, as a header; undefined where nothing is owned or nothing is new. */
  async told(): Promise<string | undefined> {
    if (!this.owned) return undefined;
    try {
      if (!this.seen.learn(await this.owned())) return undefined;
      await this.seen.publish(this.keyValue);
    } catch (error) {
      this.logger.warn('others learn of a change by their next poll only', { error });
    }
    return this.seen.header;
  }

  private isBehind(copy: Copy): boolean {
    if (copy.revision() >= this.seen.of(copy.name)) return false;
    return this.now() - (this.failed.get(copy) ?? -Infinity) >= PAUSE_MS;
  }

  private async bring(copy: Copy): Promise<void> {
    const wanted = this.seen.of(copy.name);
    try {
      const begun = this.running.get(copy);
      // It may have been asked before the change was made.
      if (begun) await begun;
      if (copy.revision() < wanted) await (this.running.get(copy) ?? this.start(copy));
      if (copy.revision() < wanted) this.seen.forget(copy.name, wanted);
    } catch (error) {
      this.failed.set(copy, this.now());
      this.logger.warn('a copy could not be brought up to date', { copy: copy.name, error });
    }
  }

  private start(copy: Copy): Promise<void> {
    const work = copy.catchUp().finally(() => this.running.delete(copy));
    this.running.set(copy, work);
    return work;
  }
}
