import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { LogType } from '@tollgate/contracts';
import { bound } from '@tollgate/database';
import type { WrittenLog } from '../log/log-row.js';
import type { RequestDraft } from '../log/request-row.js';
import { rowset } from '../rowset.js';
import { channelSums, type LoggedRequest, quotaSums } from './hour-sums.js';

/**
 * Adds rows of these eight values to the sums by hour. They must come in the order of the key, so that concurrent
 * batches cannot run into a deadlock.
 */
export const addToHours = (
  rows: string,
): string => `insert into "quota_hour" as h ("user_id", "username", "model_name", "hour", "count", "quota", "token_used", "logged_quota")
  ${rows}
  on conflict ("user_id", "hour", "model_name", "username") do update set
    "count" = h."count" + excluded."count", "quota" = h."quota" + excluded."quota", "token_used" = h."token_used" + excluded."token_used",
    "logged_quota" = h."logged_quota" + excluded."logged_quota"`;
const addQuota =
  addToHours(`select e."userId", e."username", e."modelName", e."hour", e."count", e."quota", e."tokenUsed", e."loggedQuota"
  from json_to_recordset($1::json) as e("userId" int, "username" text, "modelName" text, "hour" bigint, "count" bigint, "quota" bigint, "tokenUsed" bigint, "loggedQuota" bigint)
  order by e."userId", e."hour", e."modelName", e."username"`);

/**
 * Rows and hours are matched by name, too. Subtracting from hours takes this lock shared and an erasure takes it
 * exclusively, so that names do not change in between.
 */
export const WHILE_NAMES_STAY = `select pg_advisory_xact_lock_shared(hashtextextended('tollgate:log-names', 0))`;
export const TO_CHANGE_NAMES = `select pg_advisory_xact_lock(hashtextextended('tollgate:log-names', 0))`;

/**
 * Subtracts rows that leave the log from its total, in the same statement or transaction. `rows` is a table or a
 * subquery's name.
 */
export const takeFromHours = (
  rows: string,
): string => `update "quota_hour" h set "logged_quota" = h."logged_quota" - g."quota"
  from (select "user_id", "username", "model_name", "created_at" - "created_at" % 3600 as "hour", sum("quota") as "quota"
    from ${rows} where "type" = ${LogType.consume} group by 1, 2, 3, 4) as g
  where h."user_id" = g."user_id" and h."hour" = g."hour" and h."model_name" = g."model_name" and h."username" = g."username"`;

/** In the order of the key, too. */
const addChannel = `insert into "channel_hour" as h ("channel_id", "hour", "requests", "failures", "answers", "duration_ms_sum", "first_token_ms_sum", "first_token_buckets")
  select e."channelId", e."hour", e."requests", e."failures", e."answers", e."durationMsSum", e."firstTokenMsSum",
    array(select json_array_elements_text(e."firstTokenBuckets")::bigint)
  from json_to_recordset($1::json) as e("channelId" int, "hour" bigint, "requests" bigint, "failures" bigint, "answers" bigint, "durationMsSum" bigint, "firstTokenMsSum" bigint, "firstTokenBuckets" json)
  order by e."channelId", e."hour"
  on conflict ("channel_id", "hour") do update set
    "requests" = h."requests" + excluded."requests", "failures" = h."failures" + excluded."failures",
    "answers" = h."answers" + excluded."answers", "duration_ms_sum" = h."duration_ms_sum" + excluded."duration_ms_sum",
    "first_token_ms_sum" = h."first_token_ms_sum" + excluded."first_token_ms_sum",
    "first_token_buckets" = array(
      select coalesce(b."old", 0) + coalesce(b."new", 0)
      from unnest(h."first_token_buckets", excluded."first_token_buckets") with ordinality as b("old", "new", "position") order by b."position")`;

/**
 * Sums per hour: quota by user and model, health by channel. The dashboard's sums are counted only if the option is on,
 * the log's total always.
 */
@Injectable()
export class Rollup {
  /** Call it in the transaction that wrote the rows, with exactly these rows, so that a redelivery adds nothing. */
  async add(em: EntityManager, requests: readonly LoggedRequest[], isCounting: boolean): Promise<void> {
    await this.addUsage(
      em,
      requests.map(({ draft }) => draft),
      isCounting,
    );
    if (!isCounting) return;
    const channels = channelSums(requests);
    if (channels.length > 0) await bound(em, addChannel, [rowset(channels)]);
  }

  /** Adds only the usage, for rows that say nothing about the health of their channels. */
  async addUsage(em: EntityManager, rows: readonly WrittenLog<RequestDraft>[], isCounting: boolean): Promise<void> {
    const quota = quotaSums(rows, isCounting);
    if (quota.length > 0) await bound(em, addQuota, [rowset(quota)]);
  }
}
