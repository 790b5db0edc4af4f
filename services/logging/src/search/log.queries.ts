import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { PageQuery } from '@tollgate/contracts';
import { pageWindow, totalOf } from '@tollgate/database';
import { toCount } from '../rowset.js';
import { LogCount } from './log-count.js';
import { type LogConditions, type LogCriteria, conditionsOf } from './log-filter.js';
import { Log, type LogType } from '../log/log.entity.js';

export interface LogPage {
  logs: Log[];
  total: number;
}

/** How far back pages reach; what is older is reached by the time filters. */
const REACHABLE_ROWS = 1_000_000;
const SEARCH_LIMIT = 100;
/** No index serves a search in the texts of consumption, so it looks at the newest rows only. */
const SEARCHED_ROWS = 100_000;
const TOKEN_LIMIT = 1_000;

const newestFirst = [{ createdAt: 'desc' }, { id: 'desc' }] as const;

@Injectable()
export class LogQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly count: LogCount,
  ) {}

  async list(criteria: LogCriteria, page: PageQuery): Promise<LogPage> {
    const conditions = conditionsOf(criteria);
    const window = pageWindow(page);
    const logs = window.offset < REACHABLE_ROWS ? await this.newest(conditions, window) : [];
    return { logs, total: await totalOf(logs.length, page, () => this.total(conditions, window.offset, logs.length)) };
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

  /** What the page itself shows is known better than any estimate: that there is more, or that there is nothing behind it. */
  private async total(conditions: LogConditions, offset: number, found: number): Promise<number> {
    const { total, isExact } = await this.count.total(conditions);
    const reachable = Math.min(total, REACHABLE_ROWS);
    if (isExact) return reachable;
    return found > 0 ? Math.max(reachable, offset + found + 1) : Math.min(reachable, offset);
  }
}
