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
import { nearestUnits, units } from '../units.js';
import { shifted } from './days.js';
import { StatementBacklog } from './statement-backlog.js';

type Condition = readonly [string, unknown];

const into = `case when "credit" = 'wallet' then "amount" when "debit" = 'wallet' then -"amount" else 0 end`;
const of = (...codes: string[]): string => `("code" in (${codes.map((code) => `'${code}'`).join(', ')}))`;

const SUMS = {
  postings: `sum("count")`,
  // A token's budget is only a limit, as high as its owner likes; setting it moves no money.
  turnover: `sum("amount") filter (where "code" <> 'token-budget')`,
  requests: `sum("count") filter (where ${of('consumption')})`,
  consumed: `sum("amount") filter (where ${of('consumption')})`,
  returned: `sum(${into}) filter (where ${of('task-refund')})`,
  corrected: `sum(${into}) filter (where ${of('correction')})`,
  paid: `sum("amount") filter (where ${of('top-up')})`,
  refunded: `sum("amount") filter (where ${of('refund')})`,
  redeemed: `sum("amount") filter (where ${of('redemption')})`,
  granted: `sum(${into}) filter (where ${of('setup-grant', 'new-user-gift', 'invitee-gift', 'inviter-reward', 'affiliate-transfer')})`,
  adjusted: `sum(${into}) filter (where ${of('admin-adjustment')})`,
  net: `sum(${into})`,
  late: `sum("count") filter (where "origin" < "day")`,
  cost: `sum("cost")`,
  costed: `sum("costed")`,
  costed_sales: `sum("costed_amount")`,
} satisfies Partial<Record<keyof StatementSums, string>>;
const names = Object.keys(SUMS) as (keyof typeof SUMS)[];
const SUM_COLUMNS = names.map((name) => `coalesce(${SUMS[name]}, 0) as "${name}"`).join(', ');
const TOTAL_COLUMNS = names.map((name) => `sum("${name}") over () as "total_${name}"`).join(', ');

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
  span: `''::text`,
};
const REACHABLE_ROWS = 10_000;

/** The cost is null where it is not known for any request; without requests it is 0. */
function sumsOf(row: Record<string, unknown> | undefined, prefix = ''): StatementSums {
  const sums = Object.fromEntries(names.map((name) => [name, nearestUnits(row?.[prefix + name] ?? 0)]));
  const known = sums as Record<keyof typeof SUMS, number>;
  const isKnown = known.costed > 0 || known.requests === 0;
  return { ...known, cost: isKnown ? known.cost : null, margin: isKnown ? known.costed_sales - known.cost : null };
}

interface Piece {
  rows: StatementRow[];
  /** Count and totals of all rows, not only of those on the page. */
  count: number;
  totals: StatementSums;
}

/** Sums of the journal by period, from the journal's daily sums. */
@Injectable()
export class StatementQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly backlog: StatementBacklog,
  ) {}

  async page(query: StatementQuery): Promise<Statement> {
    const { limit, offset } = pageWindow(query);
    const [{ rows, count, totals }, opening, complete] = await Promise.all([
      this.read(query, { limit, offset: Math.min(offset, REACHABLE_ROWS) }),
      this.netBefore(query),
      this.backlog.isWhole(),
    ]);
    const items = offset < REACHABLE_ROWS ? rows : [];
    const total = Math.min(count, REACHABLE_ROWS);
    const closing = opening + totals.net;
    return { items, total, page: query.page, page_size: query.size, totals, opening, closing, complete };
  }

  /**
   * All rows, latest period first, one piece per period, so that an export of any length is read while it is written.
   */
  async *pieces(filter: StatementFilter): AsyncGenerator<StatementRow[]> {
    const em = this.em.fork();
    for (let end = filter.end; end >= filter.start;) {
      const whole = firstDayOf(filter.period, end);
      const start = whole < filter.start ? filter.start : whole;
      const { rows } = await this.read({ ...filter, start, end }, {}, em);
      if (rows.length > 0) yield rows;
      end = shifted(start, -1);
    }
  }

  /** Reads the sums of each row, and the number and totals of all rows, in one query. */
  private async read(
    filter: StatementFilter,
    { limit, offset = 0 }: { limit?: number; offset?: number },
    em = this.em,
  ): Promise<Piece> {
    const [where, params] = conditionsOf(filter);
    const window = limit === undefined ? '' : ` limit ${limit} offset ${offset}`;
    const grouped = `select ${PERIODS[filter.period]} as "period", ${KEYS[filter.by]} as "key", ${SUM_COLUMNS}
       from "statement_day" where ${where} group by 1, 2`;
    const rows = await em.execute<Record<string, unknown>[]>(
      `select *, count(*) over () as "total_rows", ${TOTAL_COLUMNS} from (${grouped}) as g order by "period" desc, "consumed" desc, "key"${window}`,
      params,
    );
    const [first] = rows;
    // A page beyond the last row has no row that carries the totals, so the first row is read for them.
    if (!first && offset > 0) return { ...(await this.read(filter, { limit: 1 }, em)), rows: [] };
    return {
      rows: rows.map((row) => ({
        period: String(row['period']) || filter.start,
        key: String(row['key']),
        ...sumsOf(row),
      })),
      count: units(first?.['total_rows'] ?? 0),
      totals: sumsOf(first, 'total_'),
    };
  }

  private async netBefore({ start, user_id: userId }: StatementFilter): Promise<number> {
    const [row] = await this.em.execute<{ net: unknown }[]>(
      `select coalesce(sum(${into}), 0) as "net" from "statement_day" where "day" < ?::date${userId > 0 ? ' and "user_id" = ?' : ''}`,
      userId > 0 ? [start, userId] : [start],
    );
    return nearestUnits(row?.net ?? 0);
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

/** The first day of the day, week or month that contains the day; weeks begin on Monday. */
function firstDayOf(period: StatementPeriod, day: string): string {
  if (period === 'day') return day;
  if (period === 'span') return '';
  if (period === 'month') return `${day.slice(0, 7)}-01`;
  return shifted(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}
