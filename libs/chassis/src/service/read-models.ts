import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@tollgate/contracts';
import { broadcastChannel } from './broadcast-channel.js';
import { broadcastRevisions, followRevisions, type Revisions, type Surroundings } from './revisions.js';
import type { SeenRevisions } from './seen-revisions.js';

/** Milliseconds after a failed fetch during which requests are served from memory without trying the owner again. */
const PAUSE_MS = 1000;

/** A service's in-memory copy of another service's data, as of a revision of its owner. */
export interface ReadModel {
  /** Name of the revision, as its owner uses it. */
  name: string;
  revision(): number;
  /** Fetches the current data from the owner and applies it. */
  catchUp(): Promise<void>;
}

/** A read model that its owner's broadcasts keep up to date. */
export interface FollowedModel extends ReadModel {
  owner: ServiceName;
  /** Topics of the events that change this data. */
  topics: readonly string[];
  /** Applies an event on one of the topics, given its key. Without it the data is fetched from the owner. */
  onEvent?(key: string): void;
}

/**
 * The read models of one service. Before a request is answered they are brought at least to the newest revision this process has seen;
 * otherwise they may be a second behind. A service that owns revisions publishes them after each change.
 */
export class ReadModels {
  private readonly models: ReadModel[] = [];
  private readonly running = new Map<ReadModel, Promise<void>>();
  private owned: (() => Promise<Revisions>) | undefined;

  /** Monotonic time in milliseconds of the last failed fetch. */
  private readonly failed = new Map<ReadModel, number>();

  constructor(
    private readonly seen: SeenRevisions,
    private readonly surroundings: Surroundings,
    private readonly now = (): number => performance.now(),
  ) {}

  /** Add models in the order in which they depend on each other: they are updated in that order. */
  add(model: ReadModel): void {
    this.models.push(model);
  }

  /**
   * Adds a read model and keeps it within a second of its owner: it is updated at each event's broadcast, and fetched when the owner
   * announces a newer revision or falls silent.
   */
  follow({ owner, topics, onEvent, ...model }: FollowedModel): void {
    const { lifecycle, keyValue } = this.surroundings;
    this.add(model);
    const pollNow = followRevisions(this.surroundings, {
      owner,
      name: `${model.name} poll`,
      isCurrent: (revisions) => revisions[model.name] === model.revision(),
      poll: () => model.catchUp(),
    });
    lifecycle.onReady(async () => {
      for (const topic of topics)
        lifecycle.onDrain(await keyValue.subscribe(broadcastChannel(topic), onEvent ?? pollNow));
    });
  }

  /** Called by the owner of revisions, which `read` returns: replies to changes carry them, and the leader broadcasts them. */
  own(owner: ServiceName, leader: { readonly isLeader: boolean }, read: () => Promise<Revisions>): void {
    this.owned = read;
    broadcastRevisions(this.surroundings, owner, () => leader.isLeader, read);
  }

  get areBehind(): boolean {
    return this.models.some((model) => this.isBehind(model));
  }

  /** Brings outdated models up to date. Never rejects: while an owner does not answer, the data in memory is served. */
  async catchUp(): Promise<void> {
    for (const model of this.models) {
      if (this.isBehind(model)) await this.bring(model);
    }
  }

  /** As `catchUp`, for callers that cannot wait long. After one has timed out, no other waits for a second. */
  async catchUpWithin(milliseconds: number): Promise<void> {
    const inTime = new AbortController();
    const late = pause(milliseconds, true, { signal: inTime.signal }).catch(() => false);
    const isLate = await Promise.race([this.catchUp().then(() => false), late]);
    inTime.abort();
    if (isLate) for (const model of this.models) if (this.isBehind(model)) this.failed.set(model, this.now());
  }

  /**
   * Publishes the owned revisions to the other processes after a change. Returns them as a header for the reply to the change; `undefined`
   * when this service owns none or none has changed.
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
      // A fetch that is already running may have begun before the change was made.
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
