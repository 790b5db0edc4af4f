import { raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { toCount } from '../rowset.js';
import { Log, LogType } from '../log/log.entity.js';
import type { LogConditions, LogCount } from './log-store.js';

/** Up to here totals are counted, so that a page costs the same over ten thousand rows and over ten million; above it they are estimated. */
const COUNTED_ROWS = 10_000;
/** So many of the newest rows that meet the narrowest filter are looked at for the others; if there are more, their share is taken. */
const EXAMINED_ROWS = 3_000;

/** The filters that an index serves, those first that usually leave the fewest rows. */
const narrowestFirst = [
  'id',
  'eventId',
  'tokenName',
  'tokenId',
  'username',
  'userId',
  'type',
  'channelId',
  'modelName',
  'group',
] as const satisfies readonly (keyof LogConditions)[];
type Filter = (typeof narrowestFirst)[number];

const columns: Partial<Record<Filter, string>> = {
  tokenName: 'token_name',
  tokenId: 'token_id',
  userId: 'user_id',
  channelId: 'channel_id',
  modelName: 'model_name',
};

/** Conditions for the ORM. */
type Where = Omit<LogConditions, 'from' | 'to'> & { createdAt?: { $gte?: number; $lte?: number } };

export const whereOf = ({ from, to, ...equal }: LogConditions): Where => ({
  ...equal,
  ...((from !== undefined || to !== undefined) && {
    createdAt: { ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lte: to }) },
  }),
});

/** Exact as long as that takes no longer than over a short log; an estimate otherwise. */
export async function countRows(em: EntityManager, { from, to, ...filters }: LogConditions): Promise<LogCount> {
  const [narrowest, ...others] = narrowestFirst.filter(
    (name) => filters[name] !== undefined && isIndexed(name, filters),
  );
  const rest = [...others, ...(filters.type === LogType.consumption ? (['type'] as const) : [])];
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
  const tests = rest.map((name) => `newest."${columns[name] ?? name}" = ?`).join(' and ');
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

/** The planner's, from its statistics: no row is read. */
async function estimate(em: EntityManager, query: string): Promise<number> {
  const [row] = await em.execute<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]>(
    `explain (format json) ${query}`,
  );
  return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}

/** Consumption is most of the log and has no index of its own. */
const isIndexed = (name: Filter, { type }: LogConditions): boolean => name !== 'type' || type !== LogType.consumption;
