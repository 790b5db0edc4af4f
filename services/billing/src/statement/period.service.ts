import { createHash } from 'node:crypto';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, type Page, type PageQuery } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type { ClosedPeriod, closePeriodSchema, PeriodCheck } from '@tollgate/contracts/api/statement';
import { AppError, Clock, unixSeconds } from '@tollgate/chassis';
import { Outbox, pageWindow, toPage, totalOf } from '@tollgate/database';
import type { z } from 'zod';
import type { SigningKey } from '../seal/signing-key.js';
import { SigningKeys } from '../seal/signing-keys.js';
import { units } from '../units.js';
import { dayDigests } from './day-digests.js';
import { shifted } from './days.js';
import { factsOf, periodText, type SealedPeriod, sealedPeriods, signatureOf } from './period-seal.js';
import { StatementBacklog } from './statement-backlog.js';

interface PeriodRow {
  id: number;
  since: string | null;
  until: string;
  closed_at: Date | string;
  actor_id: number;
  note: string;
  sealed_at: Date | string | null;
  postings: unknown;
  totals: Record<string, number> | null;
  digest: string | null;
  text: string | null;
  signature: string | null;
}

const PERIODS = `select p."id", p."since"::text as "since", p."until"::text as "until", p."closed_at", p."actor_id", p."note",
    s."sealed_at", s."postings", s."totals", s."digest", g."text", g."signature"
  from "closed_period" p left join "period_seal" s on s."period_id" = p."id" left join "period_signature" g on g."period_id" = p."id"`;

/**
 * Closes periods. A posting for a closed day counts for the first open day and is marked as late; a closed day is never
 * reopened.
 */
@Injectable()
export class PeriodService {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
    private readonly keys: SigningKeys,
    private readonly clock: Clock,
    private readonly backlog: StatementBacklog,
  ) {}

  /** Latest first. */
  async list(query: PageQuery): Promise<Page<ClosedPeriod>> {
    const { limit, offset } = pageWindow(query);
    const rows = await this.em.execute<PeriodRow[]>(`${PERIODS} order by p."until" desc limit ? offset ?`, [
      limit,
      offset,
    ]);
    const total = await totalOf(rows.length, query, async () => {
      const [row] = await this.em.execute<{ n: unknown }[]>(`select count(*) as "n" from "closed_period"`);
      return units(row?.n);
    });
    return toPage(rows, total, query, toReply);
  }

  async close({ last_day: lastDay, note }: z.output<typeof closePeriodSchema>, actorId: number): Promise<ClosedPeriod> {
    const until = shifted(lastDay, 1);
    const now = new Date(this.clock.now());
    if (until > now.toISOString().slice(0, 10))
      throw new AppError('invalid', 'period-not-over', '只能结账已经结束的日期（UTC）', { params: { day: lastDay } });
    const id = await this.em.transactional(async () => {
      if (!(await this.backlog.isWhole()))
        throw new AppError('conflict', 'statement-incomplete', '升级前的账目尚在汇总，完成后才能结账');
      // Booking transactions hold this lock shared. So afterwards every earlier row is counted, and every later one
      // sees the closed period.
      await this.em.execute(`select pg_advisory_xact_lock(hashtextextended('tollgate:statement', 0))`, [], 'run');
      const [last] = await this.em.execute<{ until: string | null }[]>(
        `select max("until")::text as "until" from "closed_period"`,
      );
      const since = last?.until ?? null;
      if (since !== null && since >= until)
        throw new AppError('conflict', 'period-closed', '该期间已经结账，不能重复或撤销', {
          params: { day: shifted(since, -1) },
        });
      const [row] = await this.em.execute<{ id: number }[]>(
        `insert into "closed_period" ("since", "until", "closed_at", "actor_id", "note") values (?::date, ?::date, ?, ?, ?) returning "id"`,
        [since, until, now.toISOString(), actorId, note],
      );
      const after = { first_day: since ?? '', last_day: lastDay, note };
      await this.outbox.add(adminAction, { actorId, action: 'period-close', subject: `period:${row?.id ?? 0}`, after });
      return row?.id ?? 0;
    });
    await this.sealAll();
    return toReply(await this.find(id));
  }

  /**
   * Computes the digest of a closed period again and verifies its signature. A period whose closing was interrupted is
   * sealed now.
   */
  async check(id: number): Promise<PeriodCheck> {
    const row = await this.find(id);
    if (row.digest === null) await this.sealAll();
    const [seal] = await this.em.execute<SealedPeriod[]>(sealedPeriods('s."period_id" = ?'), [row.id]);
    const { digest: found } = await this.contentsOf(row);
    const sealed = seal?.digest ?? '';
    return { id, sealed, found, matches: sealed === found, signature: seal ? signatureOf(seal) : 'none' };
  }

  private async find(id: number): Promise<PeriodRow> {
    const [row] = await this.em.execute<PeriodRow[]>(`${PERIODS} where p."id" = ?`, [Math.min(id, MAX_ID)]);
    if (!row) throw new AppError('not-found', 'period-not-found', '结账期间不存在', { params: { id } });
    return row;
  }

  /**
   * Seals all closed periods without a seal, including those whose closing was interrupted. Closed days do not change
   * any more, so this may run later, and in two replicas at once.
   */
  private async sealAll(): Promise<void> {
    const rows = await this.em.execute<PeriodRow[]>(`${PERIODS} where s."period_id" is null order by p."until"`);
    for (const row of rows) await this.seal(row);
  }

  private async seal(row: PeriodRow): Promise<void> {
    const { postings, totals, digest } = await this.contentsOf(row);
    await this.em.transactional(async () => {
      const key = await this.keys.newest();
      await this.em.execute(
        `insert into "period_seal" ("period_id", "sealed_at", "postings", "totals", "digest") values (?, ?, ?, ?::jsonb, ?) on conflict do nothing`,
        [row.id, new Date(this.clock.now()).toISOString(), postings, totals, digest],
        'run',
      );
      // The first signature signs all earlier seals as well. After that, missing signatures are not replaced, so that
      // their removal is detected.
      const unsigned = await this.em.execute<SealedPeriod[]>(
        sealedPeriods('g."text" is null and (s."period_id" = ? or not exists (select from "period_signature"))'),
        [row.id],
      );
      for (const one of unsigned) await this.sign(one, key);
    });
  }

  private async sign(row: SealedPeriod, key: SigningKey): Promise<void> {
    const text = periodText(factsOf(row, key.id));
    await this.em.execute(
      `insert into "period_signature" ("period_id", "text", "signature") values (?, ?, ?) on conflict do nothing`,
      [row.period, text, key.sign(text)],
      'run',
    );
  }

  /** Sums by code, and a digest over the digests of the days; each day is small enough for one text. */
  private async contentsOf({ since, until }: PeriodRow) {
    const range = [since ?? '-infinity', until];
    // Changes of tokens' budgets move no money, so they are left out of the sums; the digest covers them.
    const [sums] = await this.em.execute<{ postings: unknown; totals: string }[]>(
      `select coalesce(sum("count"), 0) as "postings", coalesce(jsonb_object_agg("code", "amount") filter (where "code" <> 'token-budget'), '{}')::text as "totals"
       from (select "code", sum("amount") as "amount", sum("count") as "count" from "statement_day"
         where "day" >= ?::date and "day" < ?::date group by "code") c`,
      range,
    );
    const days = await this.em.execute<{ day: string; digest: string }[]>(
      dayDigests('"day" >= ?::date and "day" < ?::date'),
      range,
    );
    const text = days.map(({ day, digest }) => `${day} ${digest}\n`).join('');
    return {
      postings: units(sums?.postings ?? 0),
      // Kept as JSON text from the database, because a sum may exceed the safe integers.
      totals: sums?.totals ?? '{}',
      digest: createHash('sha256').update(text).digest('hex'),
    };
  }
}

function toReply(row: PeriodRow): ClosedPeriod {
  const { sealed_at: sealedAt, digest, totals, text, signature } = row;
  return {
    id: row.id,
    first_day: row.since ?? '',
    last_day: shifted(row.until, -1),
    closed_time: unixSeconds(row.closed_at),
    actor_id: row.actor_id,
    note: row.note,
    seal:
      sealedAt === null || digest === null
        ? null
        : {
            ...{ time: unixSeconds(sealedAt), postings: units(row.postings), digest, totals: totals ?? {} },
            ...{ text: text ?? '', signature: signature ?? '' },
          },
  };
}
