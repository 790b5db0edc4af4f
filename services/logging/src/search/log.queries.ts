import { raw } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { PageQuery } from '@tollgate/contracts';
import { pageWindow, totalOf } from '@tollgate/database';
import { toCount } from '../rowset.js';
import { type LogConditions, type LogCriteria, conditionsOf } from './log-filter.js';
import { Log, type LogType } from '../log/log.entity.js';

export interface LogPage {
  logs: Log[];
  total: number;
}

/** Up to here totals are counted, so that a page costs the same over ten thousand rows and over ten million; above it they are estimated. */
const COUNTED_ROWS = 10_000;
/** How far back pages reach; what is older is reached by the time filters. */
const REACHABLE_ROWS = 1_000_000;
const SEARCH_LIMIT = 100;
/** No index serves a search in the texts of consumption, so it looks at the newest rows only. */
const SEARCHED_ROWS = 100_000;
const TOKEN_LIMIT = 1_000;

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] as const;

@Injectable()
export class LogQueries {
  constructor(private readonly em: EntityManager) {}

  async list(criteria: LogCriteria, page: PageQuery): Promise<LogPage> {
    const conditions = conditionsOf(criteria);
    const window = pageWindow(page);
    const logs = window.offset < REACHABLE_ROWS ? await this.newest(conditions, window) : [];
    return { logs, total: await totalOf(logs.length, page, () => this.total(conditions)) };
  }

  /** The newest rows whose type is the keyword or whose content begins with it. */
  async search(keyword: string): Promise<Log[]> {
    const byType = this.searchType(keyword);
    const pattern = `${keyword.replace(/[\\%_]/g, '\\$&')}%`;
    const rows = await this.em.execute<{ created_at: unknown; id: unknown }[]>(
      `select "created_at", "id" from (select "created_at", "id", "content" from "log" order by "created_at" desc, "id" desc limit ${SEARCHED_ROWS}) as newest
       where "content" like ? order by "created_at" desc, "id" desc limit ${SEARCH_LIMIT}`,
      [pattern],
    );
    const ids = rows.map(({ id }) => toCount(id));
    const createdAt = { $in: [...new Set(rows.map((row) => toCount(row.created_at)))] };
    const byContent =
      ids.length === 0 ? [] : await this.newest({ createdAt, id: { $in: ids } }, { limit: SEARCH_LIMIT });
    const found = new Map([...(await byType), ...byContent].map((log) => [log.id, log]));
    return [...found.values()]
      .sort((left, right) => right.createdAt - left.createdAt || right.id - left.id)
      .slice(0, SEARCH_LIMIT);
  }

  /** A user's search knows types only. */
  async searchOwn(keyword: string, userId: number): Promise<Log[]> {
    return this.searchType(keyword, { userId });
  }

  ofToken(tokenId: number): Promise<Log[]> {
    return this.newest({ tokenId }, { limit: TOKEN_LIMIT });
  }

  private async searchType(keyword: string, conditions: LogConditions = {}): Promise<Log[]> {
    if (!/^\d{1,4}$/.test(keyword.trim())) return [];
    return this.newest({ ...conditions, type: Number(keyword) as LogType }, { limit: SEARCH_LIMIT });
  }

  private newest(conditions: LogConditions, window: { limit: number; offset?: number }): Promise<Log[]> {
    return this.em.find(Log, conditions, { ...window, orderBy: [...newestFirst], disableIdentityMap: true });
  }

  private async total(conditions: LogConditions): Promise<number> {
    const matching = this.em.createQueryBuilder(Log).select(raw('1')).where(conditions);
    const bounded = matching
      .clone()
      .limit(COUNTED_ROWS + 1)
      .getFormattedQuery();
    const [counted] = await this.em.execute<{ total: unknown }[]>(
      `select count(*) as "total" from (${bounded}) as matching`,
    );
    const total = toCount(counted?.total);
    if (total <= COUNTED_ROWS) return total;
    return Math.min(Math.max(total, await this.estimate(matching.getFormattedQuery())), REACHABLE_ROWS);
  }

  /** The planner's, from its statistics: no row is read. */
  private async estimate(query: string): Promise<number> {
    const [row] = await this.em.execute<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]>(
      `explain (format json) ${query}`,
    );
    return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
  }
}
