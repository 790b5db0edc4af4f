import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  storableText,
  type Logger,
  type EventLog,
  type LogRecord,
  inFreshContext,
  RecordsRefused,
} from '@tollgate/chassis';
import type { Leader } from './leader.js';
import { OutboxEvent } from '../orm/outbox-event.entity.js';

export interface OutboxPumpOptions {
  em: EntityManager;
  eventLog: EventLog;
  leader: Pick<Leader, 'isLeader'>;
  log: Logger;
  /** Asks the replica that leads for a run. */
  onElsewhere?: () => void;
  /** Told after the log has the records, for the broadcast. */
  onPublished?: (topic: string, records: readonly LogRecord[]) => void | Promise<void>;
}

/** Whoever adds to the outbox asks for a run, in this replica or another one; this finds what was added when that wish was lost. */
const POLL_MS = 1000;
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

  /** Asks for a run now, here or where the leader is. */
  kick(): void {
    if (this.options.leader.isLeader) this.wake.abort();
    else this.options.onElsewhere?.();
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
    const { leader } = this.options;
    while (!this.stopped && leader.isLeader) {
      const em = this.options.em.fork();
      if (!(await isAnyWaiting(em))) return;
      const waiting = { publishedAt: null, refusedAt: null };
      const rows = await em.find(OutboxEvent, waiting, { orderBy: { id: 'asc' }, limit: BATCH });
      if (rows.length === 0) return;
      // In the order of the outbox, per topic. Each is marked by itself: one that cannot leave must not send the others again and again.
      for (const [topic, group] of Map.groupBy(rows, (row) => row.topic)) await this.carry(em, topic, group);
    }
  }

  private async carry(em: EntityManager, topic: string, rows: OutboxEvent[]): Promise<void> {
    const sent = await this.publish(em, topic, rows);
    if (sent.length === 0) return;
    await em.nativeUpdate(OutboxEvent, { id: { $in: sent.map(({ id }) => id) } }, { publishedAt: new Date() });
    await this.announce(topic, sent);
  }

  /** Answers the rows that the log has. One that it refuses for good says so from now on, and holds up nothing. */
  private async publish(em: EntityManager, topic: string, rows: OutboxEvent[]): Promise<OutboxEvent[]> {
    try {
      await this.options.eventLog.append(topic, rows);
      return rows;
    } catch (error) {
      if (!(error instanceof RecordsRefused)) throw error;
      const refused = new Map(error.refusals.map(({ index, reason }) => [rows[index], reason]));
      for (const [row, refusal] of refused) {
        if (!row) continue;
        this.options.log.error('the event log refuses an event for good; it stays in the outbox', {
          topic,
          outboxId: row.id,
          refusal,
        });
        await em.nativeUpdate(OutboxEvent, { id: row.id }, { refusedAt: new Date(), refusal: storableText(refusal) });
      }
      return rows.filter((row) => !refused.has(row));
    }
  }

  /** The broadcast may be lost at any time, so its failure is no failure of the publish. */
  private async announce(topic: string, records: readonly LogRecord[]): Promise<void> {
    try {
      await this.options.onPublished?.(topic, records);
    } catch (error) {
      this.options.log.warn(`the broadcast of ${topic} was not sent`, { error });
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

/** Asked all the time, and mostly in vain: rows are made of what is there only then. */
const isAnyWaiting = async (em: EntityManager): Promise<boolean> =>
  (
    await em.execute<object[]>(
      `select 1 from "outbox_event" where "published_at" is null and "refused_at" is null limit 1`,
    )
  ).length > 0;
