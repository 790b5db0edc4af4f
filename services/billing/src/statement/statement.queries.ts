import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type {
  Statement,
  StatementFilter,
  StatementKey,
  StatementPeriod,
  StatementQuery,
  StatementRow,
  StatementSums,
} from '@tollgate/contracts/api/statement';
import { pageWindow } from '@tollgate/database';
import { units } from '../units.js';

type Condition = readonly [string, unknown];

const into = `case when "credit" = 'wallet' then "amount" when "debit" = 'wallet' then -"amount" else 0 end`;
const of = (...codes: string[]): string => `("code" in (${codes.map((code) => `'${code}'`).join(', ')}))`;

const SUMS: Record<keyof StatementSums, string> = {
  postings: `sum("count")`,
  // A key's budget is a limit that its owner sets as high as a number goes; it moves no money.
  turnover: `sum("amount") filter (where "code" <> 'token-budget')`,
  requests: `sum("count") filter (where ${of('consumption')})`,
  consumed: `sum("amount") filter (where ${of('consumption')})`,
  returned: `sum(${into}) filter (where ${of('task-refund', 'correction')})`,
  paid: `sum("amount") filter (where ${of('top-up')})`,
  refunded: `sum("amount") filter (where ${of('refund')})`,
  redeemed: `sum("amount") filter (where ${of('redemption')})`,
  granted: `sum(${into}) filter (where ${of('setup-grant', 'new-user-gift', 'invitee-gift', 'inviter-reward', 'affiliate-transfer')})`,
  adjusted: `sum(${into}) filter (where ${of('admin-adjustment')})`,
  net: `sum(${into})`,
  late: `sum("count") filter (where "origin" < "day")`,
};
const names = Object.keys(SUMS) as (keyof StatementSums)[];
const SUM_COLUMNS = names.map((name) => `coalesce(${SUMS[name]}, 0) as "${name}"`).join(', ');

const KEYS: Record<StatementKey, string> = {
  none: `''::text`,
  user: `"user_id"::text`,
  group: `"group"`,
  channel: `case when "channel_id" = 0 then '' else "channel_id"::text end`,
  model: `"model"`,
};
const PERIODS: Record<StatementPeriod, string> = {
  day: `to_char("day", 'YYYY-MM-DD')`,
  week: `to_char(date_trunc('week', "day"), 'YYYY-MM-DD')`,
  month: `to_char(date_trunc('month', "day"), 'YYYY-MM-DD')`,
};
const REACHABLE_ROWS = 10_000;

const sumsOf = (row: Record<string, unknown> | undefined): StatementSums =>
  Object.fromEntries(names.map((name) => [name, units(row?.[name] ?? 0)])) as unknown as StatementSums;

/** Sums of the journal by period, read from what the journal itself keeps of each day. */
@Injectable()
export class StatementQueries {
  constructor(private readonly em: EntityManager) {}

  async page(query: StatementQuery): Promise<Statement> {
    const { limit, offset } = pageWindow(query);
    const [items, total, totals, opening] = await Promise.all([
      offset < REACHABLE_ROWS ? this.rows(query, limit, offset) : [],
      this.count(query),
      this.totals(query),
      this.netBefore(query),
    ]);
    return { items, total, page: query.page, page_size: query.size, totals, opening, closing: opening + totals.net };
  }

  /** Every row, the latest day first; a piece for each day, so that a file of any length is read as it is written. */
  async *pieces(filter: StatementFilter): AsyncGenerator<StatementRow[]> {
    const em = this.em.fork();
    if (filter.period !== 'day') {
      for (let offset = 0; ; offset += 1000) {
        const rows = await this.rows(filter, 1000, offset, em);
        if (rows.length > 0) yield rows;
        if (rows.length < 1000) return;
      }
    }
    for (let day = filter.end; day >= filter.start; day = dayBefore(day)) {
      const rows = await this.rows({ ...filter, start: day, end: day }, undefined, 0, em);
      if (rows.length > 0) yield rows;
    }
  }

  async totals(filter: StatementFilter): Promise<StatementSums> {
    const [where, params] = conditionsOf(filter);
    const [row] = await this.em.execute<Record<string, unknown>[]>(
      `select ${SUM_COLUMNS} from "statement_day" where ${where}`,
      params,
    );
    return sumsOf(row);
  }

  private async rows(
    filter: StatementFilter,
    limit: number | undefined,
    offset: number,
    em = this.em,
  ): Promise<StatementRow[]> {
    const [where, params] = conditionsOf(filter);
    const window = limit === undefined ? '' : ` limit ${limit} offset ${offset}`;
    const rows = await em.execute<Record<string, unknown>[]>(
      `select ${PERIODS[filter.period]} as "period", ${KEYS[filter.by]} as "key", ${SUM_COLUMNS}
       from "statement_day" where ${where} group by 1, 2 order by 1 desc, "consumed" desc, 2${window}`,
      params,
    );
    return rows.map((row) => ({ period: String(row['period']), key: String(row['key']), ...sumsOf(row) }));
  }

  private async count(filter: StatementFilter): Promise<number> {
    const [where, params] = conditionsOf(filter);
    const [row] = await this.em.execute<{ total: unknown }[]>(
      `select count(*) as "total" from (
         select 1 from "statement_day" where ${where} group by ${PERIODS[filter.period]}, ${KEYS[filter.by]} limit ${REACHABLE_ROWS}
       ) as rows`,
      params,
    );
    return units(row?.total);
  }

  private async netBefore({ start, user_id: userId }: StatementFilter): Promise<number> {
    const [row] = await this.em.execute<{ net: unknown }[]>(
      `select coalesce(sum(${into}), 0) as "net" from "statement_day" where "day" < ?::date${userId > 0 ? ' and "user_id" = ?' : ''}`,
      userId > 0 ? [start, userId] : [start],
    );
    return units(row?.net);
  }
}

function conditionsOf({ start, end, user_id: userId }: StatementFilter): [string, unknown[]] {
  const parts: Condition[] = [
    ['"day" >= ?::date', start],
    ['"day" <= ?::date', end],
  ];
  if (userId > 0) parts.push(['"user_id" = ?', userId]);
  return [parts.map(([text]) => text).join(' and '), parts.map(([, value]) => value)];
}

const dayBefore = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
