import { LogType } from '@tollgate/contracts';
import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { toCount } from '../rowset.js';
import { Log } from '../log/log.entity.js';
import type { LogConditions, LogCount } from './log-store.js';

/**
 * Totals are exact up to this number, so that a page costs the same with ten thousand and with ten million rows; above
 * it they are estimated.
 */
const COUNTED_ROWS = 10_000;
/**
 * Number of newest rows matching the most selective filter that are checked against the other filters; if there are
 * more, the result is extrapolated.
 */
const EXAMINED_ROWS = 3_000;

type Filter = Exclude<keyof LogConditions, 'from' | 'to'>;

/**
 * The column of every filter, usually the most selective first. An index supports each of them, see `isIndexed`. The
 * compiler reports a filter that is missing.
 */
const columns = {
  id: 'id',
  eventId: 'event_id',
  tokenName: 'token_name',
  tokenId: 'token_id',
  username: 'username',
  userId: 'user_id',
  type: 'type',
  channelId: 'channel_id',
  modelName: 'model_name',
  group: 'group',
} as const satisfies Record<Filter, string>;
const narrowestFirst = Object.keys(columns) as Filter[];

/** The conditions in the form of the ORM. */
type Where = Omit<LogConditions, 'from' | 'to'> & { createdAt?: { $gte?: number; $lte?: number } };

export const whereOf = ({ from, to, ...equal }: LogConditions): Where => ({
  ...equal,
  ...((from !== undefined || to !== undefined) && {
    createdAt: { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) },
  }),
});

/** Exact as long as that is cheap, otherwise an estimate. */
export async function countRows(em: EntityManager, { from, to, ...filters }: LogConditions): Promise<LogCount> {
  const [narrowest, ...others] = narrowestFirst.filter(
    (name) => filters[name] !== undefined && isIndexed(name, filters),
  );
  const rest = [...others, ...(filters.type === LogType.consume ? (['type'] as const) : [])];
  const base = { ...whereOf({ from, to }), ...(narrowest && { [narrowest]: filters[narrowest] }) };
  if (rest.length === 0) return counted(em, base);
  const { examined, found } = await examine(em, base, rest, filters);
  if (examined < EXAMINED_ROWS) return { total: found, isExact: true };
  const { total } = await counted(em, base);
  return { total: Math.round((total * found) / examined), isExact: false };
}

async function examine(
  em: EntityManager,
  base: Where,
  rest: readonly Filter[],
  filters: LogConditions,
): Promise<{ examined: number; found: number }> {
  const newest = em
    .createQueryBuilder(Log)
    .select([...new Set(['createdAt', 'id', ...rest])] as never)
    .where(base)
    .orderBy([{ createdAt: 'desc' }, { id: 'desc' }])
    .limit(EXAMINED_ROWS)
    .getFormattedQuery();
  const tests = rest.map((name) => `newest."${columns[name]}" = ?`).join(' and ');
  const [row] = await em.execute<{ examined: unknown; found: unknown }[]>(
    `select count(*) as "examined", count(*) filter (where ${tests}) as "found" from (${newest}) as newest`,
    rest.map((name) => filters[name]),
  );
  return { examined: toCount(row?.examined), found: toCount(row?.found) };
}

async function counted(em: EntityManager, conditions: Where): Promise<LogCount> {
  const matching = em.createQueryBuilder(Log).select(raw('1')).where(conditions);
  const bounded = matching
    .clone()
    .limit(COUNTED_ROWS + 1)
    .getFormattedQuery();
  const [row] = await em.execute<{ total: unknown }[]>(`select count(*) as "total" from (${bounded}) as matching`);
  const total = toCount(row?.total);
  if (total <= COUNTED_ROWS) return { total, isExact: true };
  return { total: Math.max(total, await estimate(em, matching.getFormattedQuery())), isExact: false };
}

/** The query planner's estimate from its statistics, without reading rows. */
async function estimate(em: EntityManager, query: string): Promise<number> {
  const [row] = await em.execute<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]>(
    `explain (format json) ${query}`,
  );
  return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}

/** Consumption is most of the log and has no index of its own. */
const isIndexed = (name: Filter, { type }: LogConditions): boolean => name !== 'type' || type !== LogType.consume;
