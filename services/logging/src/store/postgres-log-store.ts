import { LogType } from '@tollgate/contracts';
import { EntityManager, type FilterQuery, IsolationLevel, raw } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { bound, NO_CHANNEL_TEST, requestDigest } from '@tollgate/database';
import { Log } from '../log/log.entity.js';
import type { LogRow } from '../log/log-row.js';
import { toCount } from '../rowset.js';
import {
  type DoubtfulRequests,
  type DoubtSpan,
  type LogConditions,
  type LogCount,
  type LogDigest,
  type LogPlace,
  LogStore,
  type LogSums,
  type LogWindow,
  type NamelessUser,
  type NewLog,
  type UsageSpan,
  type UsageSum,
} from './log-store.js';
import { deleteRows } from './postgres-clear.js';
import { countRows, whereOf } from './postgres-count.js';
import { eraseNames } from './postgres-erase.js';
import { columnsOf, insert } from './postgres-insert.js';
import { PostgresMonths } from './postgres-months.js';
import { doubtfulRequests, sumUsage } from './postgres-usage.js';

/** Contents of consumption rows have no index, so a search reads only this many of the newest rows. */
const SEARCHED_ROWS = 100_000;

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] as const;

/**
 * The usage log as a partitioned table of the service. Rows and sums change in one transaction; usage of channels is
 * added by a trigger.
 */
@Injectable()
export class PostgresLogStore extends LogStore {
  constructor(
    private readonly em: EntityManager,
    private readonly months: PostgresMonths,
  ) {
    super();
  }

  async insert(em: EntityManager, rows: readonly NewLog[]): Promise<Pick<LogRow, 'eventId' | 'username'>[]> {
    const added = await bound<{ event_id: string; username: string }>(em, insert, columnsOf(rows));
    return added.map(({ event_id: eventId, username }) => ({ eventId, username }));
  }

  /** Committed rows are visible at once. */
  settle(): Promise<void> {
    return Promise.resolve();
  }

  override atOnce<T>(read: () => Promise<T>): Promise<T> {
    return this.em.transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true });
  }

  newest(conditions: LogConditions, window: LogWindow): Promise<LogRow[]> {
    return this.rows(whereOf(conditions), window);
  }

  count(conditions: LogConditions): Promise<LogCount> {
    return countRows(this.em, conditions);
  }

  async startingWith(text: string, limit: number): Promise<LogRow[]> {
    const pattern = `${text.replace(/[\\%_]/g, '\\$&')}%`;
    const rows = await this.em.execute<{ created_at: unknown; id: unknown }[]>(
      `select "created_at", "id" from (select "created_at", "id", "content" from "log" order by "created_at" desc, "id" desc limit ${SEARCHED_ROWS}) as newest
       where "content" like ? order by "created_at" desc, "id" desc limit ${limit}`,
      [pattern],
    );
    if (rows.length === 0) return [];
    const createdAt = { $in: [...new Set(rows.map((row) => toCount(row.created_at)))] };
    return this.rows({ createdAt, id: { $in: rows.map(({ id }) => toCount(id)) } }, { limit });
  }

  async sums(conditions: LogConditions): Promise<LogSums> {
    const [row] = await this.em
      .createQueryBuilder(Log)
      .select([
        raw('coalesce(sum("quota"), 0) as "quota"'),
        raw('count(*) as "count"'),
        raw('coalesce(sum("prompt_tokens" + "completion_tokens"), 0) as "tokens"'),
      ])
      .where(whereOf(conditions))
      .execute<{ quota: unknown; count: unknown; tokens: unknown }[]>('all', false);
    return { quota: toCount(row?.quota), count: toCount(row?.count), tokens: toCount(row?.tokens) };
  }

  find(eventId: string): Promise<LogRow | null> {
    // The id is unique within each month, so this is one index look-up per month.
    return this.em.findOne(Log, { eventId }, { disableIdentityMap: true });
  }

  ofUser(userId: number, { createdAt, id }: LogPlace, limit: number): Promise<LogRow[]> {
    return this.em.find(
      Log,
      // Reads one range of the index, wherever the page begins.
      { userId, createdAt: { $gte: createdAt }, [raw('("created_at", "id") > (?, ?)', [createdAt, id])]: [] },
      { orderBy: { createdAt: 'asc', id: 'asc' }, limit, disableIdentityMap: true },
    );
  }

  /** Drops whole months at once and deletes the rest in batches, so that nobody waits for long. */
  async clear(before: number): Promise<number> {
    return (await this.months.dropBefore(before)) + (await deleteRows(this.em, before));
  }

  eraseNames(
    em: EntityManager,
    user: NamelessUser,
    part: { from: number; atOnce: number },
  ): Promise<number | undefined> {
    return eraseNames(em, user, part);
  }

  async digest(fromId: string, toId: string): Promise<LogDigest> {
    const [row] = await this.em.execute<LogDigest[]>(
      requestDigest(
        '"event_id"',
        '"quota"',
        `"log" where "type" in (${LogType.consume}, ${LogType.error}) and ${NO_CHANNEL_TEST}`,
      ),
      [fromId, toId],
    );
    const { requests = '0', units = '0', digest = '0' } = row ?? {};
    return { requests, units, digest };
  }

  channelUsage(span: UsageSpan): Promise<UsageSum[]> {
    return sumUsage(this.em, span);
  }

  doubtful(span: DoubtSpan): Promise<DoubtfulRequests> {
    return doubtfulRequests(this.em, span);
  }

  private rows(where: FilterQuery<Log>, window: LogWindow): Promise<LogRow[]> {
    return this.em.find(Log, where, { ...window, orderBy: [...newestFirst], disableIdentityMap: true });
  }
}
