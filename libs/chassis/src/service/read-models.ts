import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@tollgate/contracts';
import { broadcastChannel } from './broadcast-channel.js';
import { broadcastRevisions, followRevisions, type Revisions, type Surroundings } from './revisions.js';
import type { SeenRevisions } from './seen-revisions.js';

/** For so long after an owner did not answer, requests are served from memory without asking it. */
const PAUSE_MS = 1000;

/** What a service keeps in memory of another one's data, as of a revision of its owner. */
export interface ReadModel {
  /** Name of the revision, as its owner calls it. */
  name: string;
  revision(): number;
  /** Asks the owner and applies its answer. */
  catchUp(): Promise<void>;
}

/** A read model that its owner's broadcasts keep up to date. */
export interface FollowedModel extends ReadModel {
  owner: ServiceName;
  /** The topics of the events that change what is read. */
  topics: readonly string[];
  /** What an event on one of them does, given its key. Without it the owner is asked. */
  onEvent?(key: string): void;
}

/**
 * The read models of one service. Before a request is answered they are as new as anything this process has seen; in all other cases
 * they may be a second behind. A service that owns revisions says after each change where they stand.
 */
export class ReadModels {
  private readonly models: ReadModel[] = [];
  private readonly running = new Map<ReadModel, Promise<void>>();
  private owned: (() => Promise<Revisions>) | undefined;

  /** Monotonic milliseconds at which the owner last did not answer. */
  private readonly failed = new Map<ReadModel, number>();

  constructor(
    private readonly seen: SeenRevisions,
    private readonly surroundings: Surroundings,
    private readonly now = (): number => performance.now(),
  ) {}

  /** To be added in the order in which they build on each other: they catch up in it. */
  add(model: ReadModel): void {
    this.models.push(model);
  }

  /**
   * Adds one, and keeps it within a second of its owner: it hears of an event by its broadcast at once, and asks its owner when that
   * has a newer revision or is silent.
   */
  follow({ owner, topics, onEvent, ...model }: FollowedModel): void {
    const { lifecycle, keyValue } = this.surroundings;
    this.add(model);
    const askNow = followRevisions(this.surroundings, {
      owner,
      name: `${model.name} poll`,
      isCurrent: (revisions) => revisions[model.name] === model.revision(),
      poll: () => model.catchUp(),
    });
    lifecycle.onReady(async () => {
      for (const topic of topics)
        lifecycle.onDrain(await keyValue.subscribe(broadcastChannel(topic), onEvent ?? askNow));
    });
  }

  /** Called by the owner of revisions, which `read` gives: they go along with replies to changes, and are broadcast by the leader. */
  own(owner: ServiceName, leader: { readonly isLeader: boolean }, read: () => Promise<Revisions>): void {
    this.owned = read;
    broadcastRevisions(this.surroundings, owner, () => leader.isLeader, read);
  }

  get areBehind(): boolean {
    return this.models.some((model) => this.isBehind(model));
  }

  /** Brings what is behind up to date. Resolves in any case: while an owner does not answer, what is in memory serves. */
  async catchUp(): Promise<void> {
    for (const model of this.models) {
      if (this.isBehind(model)) await this.bring(model);
    }
  }

  /** The same for callers that cannot wait long. After one has waited in vain, no other waits for a second. */
  async catchUpWithin(milliseconds: number): Promise<void> {
    const inTime = new AbortController();
    const late = pause(milliseconds, true, { signal: inTime.signal }).catch(() => false);
    const isLate = await Promise.race([this.catchUp().then(() => false), late]);
    inTime.abort();
    if (isLate) for (const model of this.models) if (this.isBehind(model)) this.failed.set(model, this.now());
  }

  /**
   * Lets the other processes know where the owned revisions stand after a change. Answers them as a header for whoever made it; undefined
   * where nothing is owned or nothing is new.
   */
  async announce(): Promise<string | undefined> {
    if (!this.owned) return undefined;
    try {
      if (!this.seen.learn(await this.owned())) return undefined;
      await this.seen.publish(this.surroundings.keyValue);
    } catch (error) {
      this.surroundings.logger.warn('others learn of a change by their next poll only', { error });
    }
    return this.seen.header;
  }

  private isBehind(model: ReadModel): boolean {
    if (model.revision() >= this.seen.of(model.name)) return false;
    return this.now() - (this.failed.get(model) ?? -Infinity) >= PAUSE_MS;
  }

  private async bring(model: ReadModel): Promise<void> {
    const wanted = this.seen.of(model.name);
    try {
      const begun = this.running.get(model);
      // It may have been asked before the change was made.
      if (begun) await begun;
      if (model.revision() < wanted) await (this.running.get(model) ?? this.start(model));
      if (model.revision() < wanted) this.seen.forget(model.name, wanted);
    } catch (error) {
      this.failed.set(model, this.now());
      this.surroundings.logger.warn('a read model could not be brought up to date', { readModel: model.name, error });
    }
  }

  private start(model: ReadModel): Promise<void> {
    const work = model.catchUp().finally(() => this.running.delete(model));
    this.running.set(model, work);
    return work;
  }
}
