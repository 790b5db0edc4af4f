import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page, RefusedRow } from '@tollgate/contracts';
import type { RefusedCalls, RefusedCallsQuery } from '@tollgate/contracts/api/audit';
import { Clock, isUuid, timeOfId } from '@tollgate/chassis';
import { NamesClient } from '../log/names.client.js';
import { rowset, toCount } from '../rowset.js';

const KEPT_SECONDS = 30 * 86_400;
/** Number of old rows removed with each report; more than a report adds on average. */
const REMOVED_AT_ONCE = 5_000;
const MOST_IDS = 5;

const insert = `insert into "refused_calls"
  ("batch_id", "position", "minute", "reason", "status", "message", "token_id", "user_id", "model", "count", "request_ids")
  select ?, e."position", e."minute", e."reason", e."status",
    case when exists (select from "erased_user" x where x."user_id" = e."userId") then '' else e."message" end, e."tokenId", e."userId", e."model", e."count", e."requestIds"
  from json_to_recordset(?::json) as e("position" int, "minute" bigint, "reason" text, "status" int, "message" text, "tokenId" int,
    "userId" int, "model" text, "count" bigint, "requestIds" jsonb)
  on conflict ("batch_id", "position") do nothing`;
const removeOld = `delete from "refused_calls" where ("batch_id", "position") in
  (select "batch_id", "position" from "refused_calls" where "minute" < ? order by "minute" limit ${REMOVED_AT_ONCE})`;

interface Found {
  minute: unknown;
  reason: string;
  status: number;
  message: string;
  token_id: number;
  user_id: number;
  model: string;
  count: unknown;
  request_ids: string[][];
  rows: unknown;
}

/** Refusals by minute, kept for thirty days. */
@Injectable()
export class RefusedCallsStore {
  constructor(
    private readonly em: EntityManager,
    private readonly names: NamesClient,
    private readonly clock: Clock,
  ) {}

  async write(batchId: string, rows: readonly RefusedRow[]): Promise<void> {
    const placed = rows.map((row, position) => ({ ...row, position }));
    await this.em.transactional(async (em) => {
      await em.execute(insert, [batchId, rowset(placed)], 'run');
      await em.execute(removeOld, [this.clock.seconds() - KEPT_SECONDS], 'run');
    });
  }

  /** Newest first; rows that describe the same refusal are added up. */
  async list(query: RefusedCallsQuery): Promise<Page<RefusedCalls>> {
    const { page, size } = query;
    const { text, values } = conditionsOf(query);
    const found = await this.em.execute<Found[]>(
      `select "minute", "reason", "status", max("message") as "message", "token_id", "user_id", "model", sum("count") as "count",
         jsonb_agg("request_ids") as "request_ids", count(*) over () as "rows"
       from "refused_calls" where ${text} group by "minute", "reason", "status", "token_id", "user_id", "model"
       order by "minute" desc, sum("count") desc, "reason", "token_id", "model" limit ? offset ?`,
      [...values, size, (page - 1) * size],
    );
    const names = await this.names.resolve({
      users: found.map(({ user_id: id }) => id),
      tokens: found.map(({ token_id: id }) => id),
    });
    const items = found.map(({ rows: _, minute, count, request_ids: ids, ...row }) => ({
      ...row,
      minute: toCount(minute),
      count: toCount(count),
      request_ids: ids.flat().slice(0, MOST_IDS),
      token_name: names.token(row.token_id),
      username: names.user(row.user_id),
    }));
    return { items, total: toCount(found[0]?.rows ?? 0), page, page_size: size };
  }
}

/** The minute of the time in a UUID v7; another text matches nothing. */
function minuteOf(requestId: string): number {
  if (!isUuid(requestId)) return -1;
  return Math.floor(timeOfId(requestId) / 60_000) * 60;
}

function conditionsOf(query: RefusedCallsQuery): { text: string; values: (string | number)[] } {
  const {
    request_id: requestId,
    reason,
    token_id: token,
    user_id: user,
    start_timestamp: from,
    end_timestamp: to,
  } = query;
  const parts: [string, string | number][] = [];
  if (requestId !== '') parts.push(['"minute" = ?', minuteOf(requestId)]);
  if (reason !== '') parts.push(['"reason" = ?', reason]);
  if (token !== 0) parts.push(['"token_id" = ?', token]);
  if (user !== 0) parts.push(['"user_id" = ?', user]);
  // Includes a minute that began before the time but reaches into it.
  if (from !== 0) parts.push(['"minute" > ?', from - 60]);
  if (to !== 0) parts.push(['"minute" <= ?', to]);
  return { text: parts.map(([part]) => part).join(' and ') || 'true', values: parts.map(([, value]) => value) };
}
