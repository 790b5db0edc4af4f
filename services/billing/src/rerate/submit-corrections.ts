import { adminAction } from '@tollgate/contracts';
import { AppError, storableText } from '@tollgate/chassis';
import { INSERT_OUTBOX_ROW, outboxRow } from '@tollgate/database';
import { APPROVAL_LIFETIME_MS } from '../approval/approval-desk.js';
import { bookedByNow } from '../correction/booked-now.js';
import { type CorrectionRow, digestOf, MOST_ROWS } from '../correction/correction-row.js';
import type { Query } from '../seal/chain-rows.js';
import { rowset } from '../units.js';
import type { Difference } from './rerating.js';

export interface CorrectionWish {
  reason: string;
  /**
   * The user whom the command line names, without a sign-in. Approval must come from another administrator, who is
   * signed in.
   */
  requestedBy: number;
}

/** A correction run that waits for approval. */
export interface SubmittedRun {
  approvalId: number;
  digest: string;
  requests: number;
  /** True when the same run was already waiting. */
  known: boolean;
}

const AT_ONCE = 1000;
const MAX_REASON = 500;

/** Prevents two simultaneous commands from submitting the same run twice. */
const oneAtATime = `select pg_advisory_xact_lock(hashtextextended('tollgate:corrections', 0))`;
const waiting = `select "id" from "approval" where "kind" = 'correction' and "status" = 'pending' and "expires_at" > now() and "payload"->>'digest' = $1 limit 1`;
const insertRequest = `insert into "approval" ("kind", "command", "user_id", "change", "subject", "reason", "payload", "requester_id", "created_at", "expires_at")
  values ('correction', 'correction:' || gen_random_uuid(), $1, $2, $3, $4, $5::jsonb, $6, now(), now() + $7 * interval '1 millisecond') returning "id"`;
const insertRows = `insert into "correction_row" ("approval_id", "number", "request_id", "user_id", "token_id", "model", "group", "channel_id", "charged", "rerated")
  select $1, e.* from json_to_recordset($2::json) as e("number" int, "request_id" uuid, "user_id" int, "token_id" int, "model" text, "group" text,
    "channel_id" int, "charged" bigint, "rerated" bigint)`;

/**
 * Submits the difference between each request's current charge and its new one, as approval requests of at most 50
 * 000 charges each. Nothing is moved: billing posts a run after another administrator has approved it in the console.
 * Throws `correction-unreasoned`; `correction-of-another` where an event names another user or token than the journal;
 * and `correction-too-large` where the sums of a run exceed the safe integers, for example by a mistyped price.
 */
export async function submitCorrections(
  query: Query,
  differences: readonly Difference[],
  wish: CorrectionWish,
): Promise<SubmittedRun[]> {
  const reason = storableText(wish.reason.trim());
  if (reason === '' || reason.length > MAX_REASON)
    throw new AppError(
      'invalid',
      'correction-unreasoned',
      `A correction needs a reason of at most ${MAX_REASON} characters: --reason "…".`,
    );
  const submitted: SubmittedRun[] = [];
  for (let start = 0; start < differences.length; start += MOST_ROWS) {
    const rows = await openRows(query, differences.slice(start, start + MOST_ROWS));
    if (rows.length === 0) continue;
    requireCountable(rows);
    await query('begin');
    try {
      submitted.push(await submitRun(query, rows, { ...wish, reason }));
      await query('commit');
    } catch (error) {
      await query('rollback');
      throw error;
    }
  }
  return submitted;
}

/** Compares with the current charges in the journal; refunded tasks are skipped. */
async function openRows(query: Query, differences: readonly Difference[]): Promise<CorrectionRow[]> {
  const rows: CorrectionRow[] = [];
  for (let start = 0; start < differences.length; start += AT_ONCE) {
    const batch = differences.slice(start, start + AT_ONCE);
    const booked = await bookedByNow(
      query,
      batch.map(({ requestId }) => requestId),
    );
    for (const { requestId, userId, tokenId, model, group, channelId, rerated } of batch) {
      const now = booked.get(requestId.toLowerCase());
      if (!now || now.isRefunded || now.charged === rerated) continue;
      // An archive is a file that anybody could have edited; the journal decides whose charge it is.
      if (now.userId !== userId || now.tokenId !== tokenId) throw ofAnother(requestId);
      rows.push({
        ...{ request_id: requestId.toLowerCase(), user_id: userId, token_id: tokenId, channel_id: channelId },
        ...{ model: storableText(model), group: storableText(group), charged: now.charged, rerated },
      });
    }
  }
  return rows;
}

const ofAnother = (requestId: string): AppError =>
  new AppError(
    'conflict',
    'correction-of-another',
    `Request ${requestId} is of another user or key in the journal than its event says; reconcile names it. Nothing was laid down of this run.`,
  );

function requireCountable(rows: readonly CorrectionRow[]): void {
  const sumOf = (name: 'charged' | 'rerated'): number => rows.reduce((sum, row) => sum + row[name], 0);
  if (Number.isSafeInteger(sumOf('charged')) && Number.isSafeInteger(sumOf('rerated'))) return;
  throw new AppError(
    'invalid',
    'correction-too-large',
    'By these prices the charges of a run come to more than can be counted; nothing was laid down of it. Look at the prices.',
  );
}

async function submitRun(query: Query, rows: readonly CorrectionRow[], wish: CorrectionWish): Promise<SubmittedRun> {
  const digest = digestOf(rows);
  const requests = rows.length;
  await query(oneAtATime);
  const [known] = await query<{ id: number }>(waiting, [digest]);
  if (known) return { approvalId: known.id, digest, requests, known: true };
  const users = new Set(rows.map((row) => row.user_id));
  const change = rows.reduce((sum, { charged, rerated }) => sum + charged - rerated, 0);
  const userId = users.size === 1 ? (rows[0]?.user_id ?? 0) : 0;
  const { reason, requestedBy } = wish;
  const subject = `${requests} × ${digest.slice(0, 16)}`;
  const payload = JSON.stringify({ digest, requests, users: users.size });
  const [request] = await query<{ id: number }>(insertRequest, [
    ...[userId, change, subject, reason, payload, requestedBy],
    APPROVAL_LIFETIME_MS,
  ]);
  const approvalId = request?.id ?? 0;
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const piece = rows.slice(start, start + AT_ONCE);
    await query(insertRows, [approvalId, rowset(piece.map((row, index) => ({ number: start + index + 1, ...row })))]);
  }
  await announce(query, { approvalId, requestedBy, after: { kind: 'correction', change, requests, reason, digest } });
  return { approvalId, digest, requests, known: false };
}

async function announce(
  query: Query,
  { approvalId, requestedBy, after }: { approvalId: number; requestedBy: number; after: Record<string, unknown> },
): Promise<void> {
  const { topic, key, value } = outboxRow(adminAction, 'billing', {
    actorId: requestedBy,
    action: 'approval-request',
    subject: `approval:${approvalId}`,
    after,
  });
  await query(INSERT_OUTBOX_ROW, [topic, key, value]);
}
