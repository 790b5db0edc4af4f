import type { EntityManager } from '@mikro-orm/postgresql';
import { LogType } from '@tollgate/contracts';
import type { ColumnStore } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import type { LogRow } from '../log/log-row.js';
import { toCount } from '../rowset.js';
import { hourOf } from '../stat/hour-sums.js';
import { TO_CHANGE_NAMES } from '../stat/rollup.js';
import { clearedOf, clearRows, isAltering, removeCleared, WHILE_ROWS_STAY } from './clickhouse-clear.js';
import { betweenIds, literal, testsOf, visible, where } from './clickhouse-conditions.js';
import { PendingRows } from './clickhouse-pending.js';
import { fromStored, STORED, TABLE, toStored, withoutNames } from './clickhouse-rows.js';
import {
  doubtfulRows,
  inOrder,
  noteUsage,
  summedFrom,
  summedUsage,
  toDoubtful,
  toSum,
  usageOfRows,
} from './clickhouse-usage.js';
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

const HOUR = 3600;
/**
 * The newest rows are searched for within these periods first, then everywhere, because ClickHouse reads the table by
 * time, whatever the filter.
 */
const NEAR = [HOUR, 24 * HOUR, 8 * 24 * HOUR, 64 * 24 * HOUR];

/** Inserts the keys of new rows, assigns their ids, and returns the pseudonym of users who are erased. */
const takeKeys = `with e as (select * from unnest($1::uuid[], $2::bigint[], $3::int[]) as e("event_id", "created_at", "user_id")),
  fresh as (
    insert into "log_key" ("event_id") select "event_id" from e order by "created_at", "event_id" on conflict ("event_id") do nothing
    returning "event_id", "id")
  select f."event_id", f."id", x."pseudonym" from fresh f join e on e."event_id" = f."event_id"
  left join "erased_user" x on x."user_id" = e."user_id" order by f."id"`;

const DIGITS = 2n ** 30n;
/**
 * The first 60 bits of each row's hash as in `requestDigest`, summed in two halves so that the sums do not overflow.
 */
const hash = `bitShiftRight(reinterpretAsUInt64(reverse(substring(MD5(concat(event_id, ' ', toString(quota))), 1, 8))), 4)`;

/**
 * The usage log as a table in ClickHouse. PostgreSQL stores which events have a row and which rows are on their way, in
 * the transaction that changes the sums.
 */
export class ClickhouseLogStore extends LogStore {
  readonly pending: PendingRows;

  constructor(
    private readonly em: EntityManager,
    private readonly columns: ColumnStore,
  ) {
    super();
    this.pending = new PendingRows(em, columns);
  }

  async insert(em: EntityManager, rows: readonly NewLog[]): Promise<Pick<LogRow, 'eventId' | 'username'>[]> {
    await bound(em, WHILE_ROWS_STAY, []);
    const keys = await bound<{ event_id: string; id: unknown; pseudonym: string | null }>(em, takeKeys, [
      rows.map(({ eventId }) => eventId),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ userId }) => userId),
    ]);
    const byEvent = new Map(rows.map((row) => [row.eventId, row]));
    const added = keys.flatMap(({ event_id: eventId, id, pseudonym }): LogRow[] => {
      const row = byEvent.get(eventId);
      if (!row) return [];
      return [{ ...(pseudonym === null ? row : withoutNames(row, { pseudonym })), id: toCount(id) }];
    });
    const stored = added.map((row) => [row, toStored(row)] as const);
    await noteUsage(em, stored);
    await this.pending.add(
      em,
      stored.map(([, row]) => row),
    );
    return added.map(({ eventId, username }) => ({ eventId, username }));
  }

  settle(): Promise<void> {
    return this.pending.settle();
  }

  async newest(conditions: LogConditions, window: LogWindow): Promise<LogRow[]> {
    return this.latest(testsOf(conditions), window, conditions.to);
  }

  async count(conditions: LogConditions): Promise<LogCount> {
    const tests = [...testsOf(conditions), ...(await this.visible())];
    const [row] = await this.columns.query<{ total: string }>(
      `select count() as total from ${TABLE} final${where(tests)}`,
    );
    return { total: toCount(row?.total ?? 0), isExact: true };
  }

  startingWith(text: string, limit: number): Promise<LogRow[]> {
    return this.latest([`startsWith(content, ${literal(text)})`], { limit });
  }

  async sums(conditions: LogConditions): Promise<LogSums> {
    const tests = [...testsOf(conditions), ...(await this.visible())];
    const [row] = await this.columns.query<Record<keyof LogSums, string>>(
      `select sum(quota) as quota, count() as count, sum(prompt_tokens + completion_tokens) as tokens from (
         select quota, prompt_tokens, completion_tokens from ${TABLE} final${where(tests)})`,
    );
    return { quota: toCount(row?.quota ?? 0), count: toCount(row?.count ?? 0), tokens: toCount(row?.tokens ?? 0) };
  }

  async find(eventId: string): Promise<LogRow | null> {
    const [row] = await this.rows([...testsOf({ eventId }), ...(await this.visible())], 'limit 1');
    return row ?? null;
  }

  async ofUser(userId: number, { createdAt, id }: LogPlace, limit: number): Promise<LogRow[]> {
    const behind = `created_at >= ${literal(createdAt)} and (created_at > ${literal(createdAt)} or id > ${literal(id)})`;
    const tests = [`user_id = ${literal(userId)}`, behind, ...(await this.visible())];
    return this.rows(tests, `order by created_at, id limit ${literal(limit)}`);
  }

  async clear(before: number): Promise<number> {
    return clearRows({ em: this.em, columns: this.columns, pending: this.pending }, before);
  }

  async eraseNames(
    em: EntityManager,
    user: NamelessUser,
    { from, atOnce }: { from: number; atOnce: number },
  ): Promise<number | undefined> {
    // Rows about the user that are already committed must be in ClickHouse to be found.
    await this.settle();
    await em.execute(TO_CHANGE_NAMES, [], 'run');
    const own = [
      `user_id = ${literal(user.userId)}`,
      `created_at >= ${literal(from)}`,
      ...visible(await clearedOf(em)),
    ];
    const [full] = await this.columns.query<{ created_at: string }>(
      `select created_at from ${TABLE} final${where(own)} order by created_at, id limit ${literal(atOnce - 1)}, 1`,
    );
    const end = full && hourOf(toCount(full.created_at)) + HOUR;
    const part = end === undefined ? own : [...own, `created_at < ${literal(end)}`];
    const found = await this.columns.query<Record<string, unknown>>(
      `select ${STORED} from ${TABLE} final${where(part)}`,
    );
    const changed = found.flatMap((stored) => {
      const row = fromStored(stored);
      const bare = withoutNames(row, user);
      return JSON.stringify(row) === JSON.stringify(bare) ? [] : toStored(bare, Number(stored['version']) + 1);
    });
    await this.pending.add(em, changed);
    await this.rewriteLater(
      em,
      changed.map(({ created_at: at }) => at),
    );
    return end;
  }

  async digest(fromId: string, toId: string): Promise<LogDigest> {
    const tests = [
      `type in (${LogType.consume}, ${LogType.error})`,
      'is_test = 0',
      ...betweenIds(fromId, toId),
      ...(await this.visible()),
    ];
    const [row] = await this.columns.query<Record<'requests' | 'units' | 'high' | 'low', string>>(
      `select count() as requests, sum(quota) as units, sum(intDiv(hash, ${DIGITS})) as high, sum(hash % ${DIGITS}) as low
       from (select quota, ${hash} as hash from ${TABLE} final${where(tests)})`,
    );
    const { requests = '0', units = '0', high = '0', low = '0' } = row ?? {};
    return { requests, units, digest: String(BigInt(high) * DIGITS + BigInt(low)) };
  }

  async channelUsage(span: UsageSpan): Promise<UsageSum[]> {
    const until = await summedFrom(this.em, span);
    const summed = await summedUsage(this.em, span);
    const rows = until > span.firstDay && span.channelIds.length > 0 ? await this.usageOfRows(span, until) : [];
    return inOrder([...summed, ...rows].map(toSum));
  }

  async doubtful(span: DoubtSpan): Promise<DoubtfulRequests> {
    if (span.channelIds.length === 0 || span.models.length === 0) return { requests: [], total: 0 };
    const { count, list } = doubtfulRows(await this.table(), span);
    const [[row], found] = await Promise.all([
      this.columns.query<{ total: string }>(count),
      this.columns.query<Parameters<typeof toDoubtful>[1][number]>(list),
    ]);
    return toDoubtful(span, found, toCount(row?.total ?? 0));
  }

  /** Deletes what no reader can see any more. Runs on one replica at a time. */
  async tidy(): Promise<void> {
    await removeCleared({ em: this.em, columns: this.columns });
    const marked = await bound<{ month: number; asked: string }>(
      this.em,
      `select "month", "asked" from "log_rewrite" order by 1`,
      [],
    );
    for (const { month, asked } of marked) {
      await this.settle();
      // Parts with a pending mutation cannot be merged with others, so the next round tries again.
      if (await isAltering(this.columns)) return;
      await this.mergeParts(month);
      // Keeps the mark when rows were replaced during the merge, which raises `asked`.
      await bound(this.em, `delete from "log_rewrite" where "month" = $1 and "asked" = $2`, [month, asked]);
    }
  }

  /** Merges all parts of a month. Throws when ClickHouse cannot do so now, for example because a merge of some of them is running. */
  private async mergeParts(month: number): Promise<void> {
    const [row] = await this.columns.query<{ parts: string }>(
      `select count() as parts from system.parts where active and database = currentDatabase() and table = ${literal(TABLE)}
       and partition = ${literal(String(month))}`,
    );
    // ClickHouse reports an error when there is nothing to merge, as in a month that was cleared.
    if (toCount(row?.parts ?? 0) === 0) return;
    await this.columns.run(`optimize table ${TABLE} partition ${literal(month)} final`, 60);
  }

  /** Old versions of replaced rows stay on disk until the parts of their month are merged. */
  private async rewriteLater(em: EntityManager, times: readonly number[]): Promise<void> {
    const months = new Set(
      times.map((at) => new Date(at * 1000)).map((date) => date.getUTCFullYear() * 100 + date.getUTCMonth() + 1),
    );
    const add = `insert into "log_rewrite" ("month") select * from unnest($1::int[]) as e order by 1
      on conflict ("month") do update set "asked" = "log_rewrite"."asked" + 1`;
    if (months.size > 0) await bound(em, add, [[...months]]);
  }

  private async usageOfRows(span: UsageSpan, until: string): Promise<UsageSum[]> {
    return this.columns.query<UsageSum>(usageOfRows(await this.table(), span, until));
  }

  /** To be continued by further `and` conditions. */
  private async table(): Promise<string> {
    return `${TABLE} final where 1${(await this.visible()).map((test) => ` and ${test}`).join('')}`;
  }

  private async visible(): Promise<string[]> {
    return visible(await clearedOf(this.em));
  }

  /** Each query reaches further back, until there are enough rows for the window. */
  private async latest(tests: readonly string[], window: LogWindow, to = Infinity): Promise<LogRow[]> {
    const { limit, offset = 0 } = window;
    const all = [...tests, ...(await this.visible())];
    const now = Math.min(to, Math.floor(Date.now() / 1000));
    const order = `order by created_at desc, id desc limit ${literal(offset)}, ${literal(limit)}`;
    for (const near of NEAR) {
      const found = await this.rows([...all, `created_at >= ${literal(now - near)}`], order);
      if (found.length === limit) return found;
    }
    return this.rows(all, order);
  }

  private async rows(tests: readonly string[], order: string): Promise<LogRow[]> {
    const found = await this.columns.query<Record<string, unknown>>(
      `select ${STORED} from ${TABLE} final${where(tests)} ${order}`,
    );
    return found.map(fromStored);
  }
}
