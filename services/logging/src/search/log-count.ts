import { raw } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { toCount } from '../rowset.js';
import { Log, LogType } from '../log/log.entity.js';
import type { LogConditions } from './log-filter.js';

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

const columns: Partial<Record<keyof LogConditions, string>> = {
  tokenName: 'token_name',
  tokenId: 'token_id',
  userId: 'user_id',
  channelId: 'channel_id',
  modelName: 'model_name',
};

/** How many rows of the log meet some conditions. */
@Injectable()
export class LogCount {
  constructor(private readonly em: EntityManager) {}

  /** Exact as long as that takes no longer than over a short log; an estimate otherwise. */
  async total(conditions: LogConditions): Promise<{ total: number; isExact: boolean }> {
    const { createdAt, ...filters } = conditions;
    const [narrowest, ...others] = narrowestFirst.filter(
      (name) => filters[name] !== undefined && isIndexed(name, filters),
    );
    const rest = [...others, ...(filters.type === LogType.consumption ? (['type'] as const) : [])];
    const base = { ...(createdAt && { createdAt }), ...(narrowest && { [narrowest]: filters[narrowest] }) };
    if (rest.length === 0) return this.counted(base);
    const { examined, found } = await this.examine(base, rest, filters);
    if (examined < EXAMINED_ROWS) return { total: found, isExact: true };
    const { total } = await this.counted(base);
    return { total: Math.round((total * found) / examined), isExact: false };
  }

  private async examine(
    base: LogConditions,
    rest: readonly (keyof LogConditions)[],
    filters: LogConditions,
  ): Promise<{ examined: number; found: number }> {
    const newest = this.em
      .createQueryBuilder(Log)
      .select([...new Set(['createdAt', 'id', ...rest])] as never)
      .where(base)
      .orderBy([{ createdAt: 'desc' }, { id: 'desc' }])
      .limit(EXAMINED_ROWS)
      .getFormattedQuery();
    const tests = rest.map((name) => `newest."${columns[name] ?? name}" = ?`).join(' and ');
    const [row] = await this.em.execute<{ examined: unknown; found: unknown }[]>(
      `select count(*) as "examined", count(*) filter (where ${tests}) as "found" from (${newest}) as newest`,
      rest.map((name) => filters[name]),
    );
    return { examined: toCount(row?.examined), found: toCount(row?.found) };
  }

  private async counted(conditions: LogConditions): Promise<{ total: number; isExact: boolean }> {
    const matching = this.em.createQueryBuilder(Log).select(raw('1')).where(conditions);
    const bounded = matching
      .clone()
      .limit(COUNTED_ROWS + 1)
      .getFormattedQuery();
    const [row] = await this.em.execute<{ total: unknown }[]>(
      `select count(*) as "total" from (${bounded}) as matching`,
    );
    const total = toCount(row?.total);
    if (total <= COUNTED_ROWS) return { total, isExact: true };
    return { total: Math.max(total, await this.estimate(matching.getFormattedQuery())), isExact: false };
  }

  /** The planner's, from its statistics: no row is read. */
  private async estimate(query: string): Promise<number> {
    const [row] = await this.em.execute<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]>(
      `explain (format json) ${query}`,
    );
    return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
  }
}

/** Consumption is most of the log and has no index of its own. */
const isIndexed = (name: keyof LogConditions, { type }: LogConditions): boolean =>
  name !== 'type' || type !== LogType.consumption;
