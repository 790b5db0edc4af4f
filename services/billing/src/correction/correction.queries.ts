import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { CorrectionRowReply, CorrectionRun, CorrectionSum } from '@tollgate/contracts/api/approval';
import { units } from '../units.js';

const SHOWN_SUMS = 50;
const SHOWN_ROWS = 100;
const AT_ONCE = 1000;
const COLUMNS = `"number", "request_id"::text as "request_id", "user_id", "token_id", "model", "group", "channel_id", "charged", "rerated"`;
const SUMS = `count(*) as "requests", coalesce(sum("charged"), 0) as "charged", coalesce(sum("rerated"), 0) as "rerated"`;

type Row = Record<string, unknown>;

/** Shows a correction run to the administrator who decides about it. */
@Injectable()
export class CorrectionQueries {
  constructor(private readonly em: EntityManager) {}

  async usersOf(approvalId: number): Promise<number[]> {
    const rows = await this.em.execute<{ user_id: number }[]>(
      `select distinct "user_id" from "correction_row" where "approval_id" = ? order by 1`,
      [approvalId],
    );
    return rows.map((row) => row.user_id);
  }

  /** The largest sums and the first rows; `exportCorrection` returns all rows. */
  async run(approvalId: number, digest: string): Promise<CorrectionRun> {
    const [total] = await this.em.execute<Row[]>(
      `select ${SUMS}, count(distinct "user_id") as "users" from "correction_row" where "approval_id" = ?`,
      [approvalId],
    );
    const [byUser, byModel, byChannel, rows] = [
      await this.sums(approvalId, '"user_id"::text'),
      await this.sums(approvalId, '"model"'),
      await this.sums(approvalId, '"channel_id"::text'),
      await this.rows(approvalId, 0, SHOWN_ROWS),
    ];
    return {
      ...{ digest, ...sumsOf(total ?? {}), users: units(total?.['users'] ?? 0) },
      ...{ by_user: byUser, by_model: byModel, by_channel: byChannel, rows },
    };
  }

  /** All rows, in pieces that are read on demand. */
  async *pieces(approvalId: number): AsyncGenerator<CorrectionRowReply[]> {
    const em = this.em.fork();
    for (let last = 0; ;) {
      const rows = await this.rows(approvalId, last, AT_ONCE, em);
      if (rows.length > 0) yield rows;
      if (rows.length < AT_ONCE) return;
      last += rows.length;
    }
  }

  private async sums(approvalId: number, key: string): Promise<CorrectionSum[]> {
    const rows = await this.em.execute<Row[]>(
      `select ${key} as "key", ${SUMS} from "correction_row" where "approval_id" = ? group by 1
       order by abs(sum("rerated") - sum("charged")) desc, 1 limit ${SHOWN_SUMS}`,
      [approvalId],
    );
    return rows.map((row) => ({ key: String(row['key']), ...sumsOf(row) }));
  }

  private async rows(approvalId: number, after: number, limit: number, em = this.em): Promise<CorrectionRowReply[]> {
    const rows = await em.execute<(CorrectionRowReply & { number: number })[]>(
      `select ${COLUMNS} from "correction_row" where "approval_id" = ? and "number" > ? order by "number" limit ?`,
      [approvalId, after, limit],
    );
    return rows.map(({ number: _, charged, rerated, ...row }) => ({
      ...row,
      charged: units(charged),
      rerated: units(rerated),
    }));
  }
}

const sumsOf = (row: Row) => ({
  requests: units(row['requests'] ?? 0),
  charged: units(row['charged'] ?? 0),
  rerated: units(row['rerated'] ?? 0),
});
