import type { EntityManager } from '@mikro-orm/postgresql';
import {
  storableText,
  type Logger,
  type EventLog,
  type LogRecord,
  inFreshContext,
  intervalOver,
  RecordsRefused,
} from '@tollgate/chassis';
import type { Leader } from './leader.js';
import { OutboxEvent } from '../orm/outbox-event.entity.js';
import type { CombinedReads } from '../orm/combined-reads.js';

interface OutboxPumpOptions {
  em: EntityManager;
  reads: CombinedReads;
  eventLog: EventLog;
  leader: Pick<Leader, 'isLeader'>;
  log: Logger;
  /** Triggers a run on the leading replica. */
  onElsewhere?: () => void;
  /** Called after the log has stored the records, for the broadcast. */
  onPublished?: (topic: string, records: readonly LogRecord[]) => void | Promise<void>;
}

/** A service that adds to the outbox triggers a run, here or on the leader; this poll finds what was added when that trigger was lost. */
const POLL_MS = 1000;
const BATCH = 500;
const IS_ANY_WAITING = `exists (select from "outbox_event" where "published_at" is null and "refused_at" is null)`;
const PURGE_EVERY_MS = 60_000;
/** Published rows are kept for a while, so that operators can see what was sent and when. */
const KEEP_PUBLISHED = '1 day';

/** Publishes committed outbox rows of one service to the event log. Runs on the leader only. */
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

  /** Triggers a run now, here or on the leader. */
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
    // After a trigger the rows themselves are read at once; a poll, which nearly always finds none, first asks whether there are any.
    let isPoll = false;
    while (!this.stopped) {
      if (this.options.leader.isLeader) await this.runOnce(isPoll);
      isPoll = await this.nextTurn();
    }
  }

  /** Does not sleep if a run was triggered meanwhile. False if a run was triggered. */
  private async nextTurn(): Promise<boolean> {
    if (!this.stopped) await intervalOver(POLL_MS, this.wake.signal);
    const isPoll = !this.wake.signal.aborted;
    this.wake = new AbortController();
    return isPoll;
  }

  private async runOnce(isPoll: boolean): Promise<void> {
    try {
      if (!isPoll || (await this.isAnyWaiting())) await this.drain();
      await this.purge();
      if (this.failing) this.options.log.info('events leave the outbox again');
      this.failing = false;
    } catch (error) {
      if (!this.failing) this.options.log.warn('events stay in the outbox, will go on trying', { error });
      this.failing = true;
    }
  }

  /** A trigger need not wait for the database's answer. */
  private isAnyWaiting(): Promise<boolean> {
    const { signal } = this.wake;
    const triggered = new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(true)));
    return Promise.race([this.options.reads.read<boolean>(IS_ANY_WAITING), triggered]);
  }

  /** Publishes outside a transaction; a row that was sent but not marked is sent again. */
  private async drain(): Promise<void> {
    const { leader } = this.options;
    while (!this.stopped && leader.isLeader) {
      const em = this.options.em.fork();
      const waiting = { publishedAt: null, refusedAt: null };
      const rows = await em.find(OutboxEvent, waiting, { orderBy: { id: 'asc' }, limit: BATCH });
      if (rows.length === 0) return;
      // In outbox order within each topic. Topics are marked separately, so that one that fails does not cause the others to be sent
      // repeatedly.
      for (const [topic, group] of Map.groupBy(rows, (row) => row.topic)) await this.carry(em, topic, group);
    }
  }

  private async carry(em: EntityManager, topic: string, rows: OutboxEvent[]): Promise<void> {
    const sent = await this.publish(em, topic, rows);
    if (sent.length === 0) return;
    await em.nativeUpdate(OutboxEvent, { id: { $in: sent.map(({ id }) => id) } }, { publishedAt: new Date() });
    await this.announce(topic, sent);
  }

  /** Returns the rows that the log has stored. A row that it refuses permanently is marked as refused and does not block others. */
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

  /** A broadcast may be lost at any time, so its failure does not fail the publish. */
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
