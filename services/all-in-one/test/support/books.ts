import { countsAsRequest, outcomeIn } from '@tollgate/database';
import { Client } from 'pg';

/** Everything booked for one user and all of the user's tokens, read from the owners' tables. */
export interface Books {
  bookings: { id: string; amount: number; outcome: string; isRequest: boolean }[];
  rows: { id: string; type: number; quota: number; outcome: string; isStream: boolean }[];
  wallet: Fund & { requests: number };
  tokens: Fund;
  /** Units that relays have leased and neither spent nor returned. */
  outstanding: number;
  /** Number of funds whose `held` differs from the sum of their leases. */
  heldFaults: number;
  /** The same consumption as summed by other consumers of the events. */
  sums: { hours: number; channels: number };
}

interface Fund {
  credit: number;
  spent: number;
  held: number;
}

const fund = `"credit"::float as "credit", "spent"::float as "spent", "held"::float as "held"`;
const total = (column: keyof Fund): string => `sum("${column}")::float as "${column}"`;

/** Reads everything once, on a connection of its own, because servers are restarted during these tests. */
export async function readBooks(databaseUrl: string, userId: number): Promise<Books> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
  client.on('error', () => undefined);
  const all = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(text, values)).rows;
  const one = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row> => {
    const [row] = await all<Row>(text, values);
    if (!row) throw new Error(`nothing found by ${text}`);
    return row;
  };
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only; set local search_path to billing');
    return {
      bookings: await all(
        `select "id"::text as "id", "amount"::float as "amount", ${outcomeIn('"reason"')} as "outcome", ${countsAsRequest('"reason"')} as "isRequest"
         from "billing"."posting" where "code" = 'consumption' and "user_id" = $1`,
        [userId],
      ),
      rows: await all(
        `select "event_id"::text as "id", "type", "quota"::float as "quota", "other"->>'outcome' as "outcome", "is_stream" as "isStream"
         from "logging"."log" where "user_id" = $1 and "other"->>'request_id' is not null`,
        [userId],
      ),
      wallet: await one(
        `select ${fund}, "request_count"::int as "requests" from "billing"."account" where "user_id" = $1`,
        [userId],
      ),
      tokens: await one(
        `select ${total('credit')}, ${total('spent')}, ${total('held')} from "billing"."token" where "user_id" = $1`,
        [userId],
      ),
      outstanding: (
        await one<{ sum: number }>(
          `select coalesce(sum(greatest(0, "granted" - "returned" - "booked")), 0)::float as "sum" from "billing"."lease"`,
        )
      ).sum,
      heldFaults: (await one<{ count: number }>(`select count(*)::int as "count" from "billing"."held_faults"()`))
        .count,
      sums: await one(
        `select (select coalesce(sum("quota"), 0)::float from "logging"."quota_hour" where "user_id" = $1) as "hours",
                (select coalesce(sum("used_quota"), 0)::float from "channel"."channel") as "channels"`,
        [userId],
      ),
    };
  } finally {
    await client.end().catch(() => undefined);
  }
}
