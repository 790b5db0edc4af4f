import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Logger } from '../log/logger.js';
import type { EventLog, LogRecord } from './event-log.js';
import { inFreshContext } from './fresh-context.js';
import type { Leader } from './leader.js';
import { OutboxEvent } from './outbox-event.entity.js';

export interface OutboxPumpOptions {
  em: EntityManager;
  eventLog: EventLog;
  leader: Pick<Leader, 'isLeader'>;
  log: Logger;
  /** Told after the log has the records, for the "look again" broadcast. */
  onPublished?: (topic: string, records: readonly LogRecord[]) => void | Promise<void>;
}

/** In the order of the outbox, per topic. */
function byTopic(rows: readonly OutboxEvent[]): Map<string, LogRecord[]> {
  const topics = new Map<string, LogRecord[]>();
  for (const { topic, key, value } of rows) {
    const records = topics.get(topic);
    if (records) records.push({ key, value });
    else topics.set(topic, [{ key, value }]);
  }
  return topics;
}

const POLL_MS = 250;
const BATCH = 500;
const PURGE_EVERY_MS = 60_000;
/** Published rows stay a while, so that a person can see what left and when. */
const KEEP_PUBLISHED = '1 day';

/** Carries committed outbox rows of one service to the event log, on the leader only. */
export class OutboxPump {
  private stopped = false;
  private running: Promise<void> | undefined;
  private purgedAt = 0;
  private failing = false;
  private wake = new AbortController();

  constructor(private readonly options: OutboxPumpOptions) {}

  start(): void {
    this.running ??= inFreshContext(() => this.loop());
  }

  /** Asks for a run now. */
  kick(): void {
    this.wake.abort();
  }

  /** Waits for the run in progress. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.wake.abort();
    await this.running;
  }

  private async loop(): Promise<void> {
    while (!this.stopped) {
      if (this.options.leader.isLeader) await this.runOnce();
      await this.nextTurn();
    }
  }

  /** A kick that came during the run is not slept over. */
  private async nextTurn(): Promise<void> {
    if (!this.stopped) await pause(POLL_MS, undefined, { signal: this.wake.signal }).catch(() => undefined);
    this.wake = new AbortController();
  }

  private async runOnce(): Promise<void> {
    try {
      await this.drain();
      await this.purge();
      if (this.failing) this.options.log.info('events leave the outbox again');
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.options.log.warn('events stay in the outbox, will go on trying', { error });
      this.failing = true;
    }
  }

  /** No transaction around the publish; what was sent but not marked is sent again. */
  private async drain(): Promise<void> {
    const { eventLog, leader, onPublished } = this.options;
    while (!this.stopped && leader.isLeader) {
      const em = this.options.em.fork();
      const rows = await em.find(OutboxEvent, { publishedAt: null }, { orderBy: { id: 'asc' }, limit: BATCH });
      if (rows.length === 0) return;
      const topics = byTopic(rows);
      for (const [topic, records] of topics) await eventLog.append(topic, records);
      await em.nativeUpdate(OutboxEvent, { id: { $in: rows.map(({ id }) => id) } }, { publishedAt: new Date() });
      for (const [topic, records] of topics) await this.announce(topic, records, onPublished);
    }
  }

  /** The broadcast may be lost at any time, so its failure is no failure of the publish. */
  private async announce(
    topic: string,
    records: readonly LogRecord[],
    onPublished: OutboxPumpOptions['onPublished'],
  ): Promise<void> {
    try {
      await onPublished?.(topic, records);
    } catch (error) {
      this.options.log.warn(`"look again" for ${topic} was not sent`, { error });
    }
  }

  private async purge(): Promise<void> {
    if (performance.now() - this.purgedAt < PURGE_EVERY_MS) return;
    this.purgedAt = performance.now();
    await this.options.em
      .fork()
      .execute(`delete from outbox_event where published_at < now() - interval '${KEEP_PUBLISHED}'`);
  }
}
