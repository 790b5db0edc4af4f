import { Injectable } from '@nestjs/common';
import type { PageQuery } from '@tollgate/contracts';
import { REACHABLE_LOGS } from '@tollgate/contracts/api/log-limits';
import { pageWindow, totalOf } from '@tollgate/database';
import type { RowType } from '../log/log.entity.js';
import type { LogRow } from '../log/log-row.js';
import { type LogConditions, LogStore } from '../store/log-store.js';
import { type LogCriteria, conditionsOf } from './log-filter.js';

interface LogTotal {
  total: number;
  /** The exact number is not known; it may be larger. */
  isEstimate: boolean;
}

export interface FoundLogs extends LogTotal {
  logs: LogRow[];
}

const SEARCH_LIMIT = 100;
const TOKEN_LIMIT = 1_000;

@Injectable()
export class LogQueries {
  constructor(private readonly store: LogStore) {}

  list(criteria: LogCriteria, page: PageQuery): Promise<FoundLogs> {
    const conditions = conditionsOf(criteria);
    const window = pageWindow(page);
    return this.store.atOnce(async () => {
      const logs = window.offset < REACHABLE_LOGS ? await this.store.newest(conditions, window) : [];
      let isEstimate = false;
      const total = await totalOf(logs.length, page, async () => {
        const counted = await this.total(conditions, window.offset, logs.length);
        isEstimate = counted.isEstimate;
        return counted.total;
      });
      return { logs, total, isEstimate };
    });
  }

  /** The newest rows whose type equals the keyword or whose content begins with it. */
  async search(keyword: string): Promise<LogRow[]> {
    const [byType, byContent] = await Promise.all([
      this.searchType(keyword),
      this.store.startingWith(keyword, SEARCH_LIMIT),
    ]);
    const found = new Map([...byType, ...byContent].map((log) => [log.id, log]));
    return [...found.values()]
      .sort((left, right) => right.createdAt - left.createdAt || right.id - left.id)
      .slice(0, SEARCH_LIMIT);
  }

  /** For users, the keyword can only be a type. */
  async searchOwn(keyword: string, userId: number): Promise<LogRow[]> {
    return this.searchType(keyword, { userId });
  }

  ofToken(tokenId: number): Promise<LogRow[]> {
    return this.store.newest({ tokenId }, { limit: TOKEN_LIMIT });
  }

  private async searchType(keyword: string, conditions: LogConditions = {}): Promise<LogRow[]> {
    if (!/^\d{1,4}$/.test(keyword.trim())) return [];
    return this.store.newest({ ...conditions, type: Number(keyword) as RowType }, { limit: SEARCH_LIMIT });
  }

  /**
   * Corrects an estimate by what the page shows: there is at least one more row after a full page, and none after an
   * empty page.
   */
  private async total(conditions: LogConditions, offset: number, found: number): Promise<LogTotal> {
    const { total, isExact } = await this.store.count(conditions);
    const reachable = Math.min(total, REACHABLE_LOGS);
    if (isExact) return { total: reachable, isEstimate: total > reachable };
    const corrected = found > 0 ? Math.max(reachable, offset + found + 1) : Math.min(reachable, offset);
    return { total: corrected, isEstimate: true };
  }
}
