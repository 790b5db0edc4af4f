import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '@tollgate/contracts';
import type { Invoice, InvoiceFormat } from '@tollgate/contracts/api/invoice';
import { AppError } from '@tollgate/chassis';
import { bound, INVOICE_LINES_DIGEST, pageWindow, toPage, totalOf } from '@tollgate/database';
import { rowset, units } from '../units.js';
import type { InvoiceUsage } from './formats.js';
import type { ReadInvoice } from './read-invoice.js';

interface InvoiceRow {
  id: number;
  name: string;
  format: InvoiceFormat;
  channel_ids: number[];
  first_day: string;
  last_day: string;
  zone: 'UTC' | 'America/Los_Angeles';
  rows: number;
  digest: string;
  imported_by: number;
  imported_at: Date | string;
}
export type StoredInvoice = Invoice & Pick<InvoiceRow, 'zone'>;

const COLUMNS = `"id", "name", "format", "channel_ids", "first_day"::text as "first_day", "last_day"::text as "last_day", "zone", "rows", "digest",
  "imported_by", "imported_at"`;

interface Digests {
  digest: string;
  /** Digest of the normalized text, regardless of line endings. */
  textDigest: string;
}
type NewInvoice = Pick<InvoiceRow, 'name' | 'format' | 'channel_ids' | 'zone' | 'imported_by'> &
  Digests &
  ReadInvoice & { importedAt: Date };

interface AddedInvoice {
  id: number;
  /** Digest over the lines as stored. */
  linesDigest: string;
}

/** Stores invoices as imported; they are never changed. */
@Injectable()
export class InvoiceStore {
  constructor(private readonly em: EntityManager) {}

  async list(query: PageQuery): Promise<Page<StoredInvoice>> {
    const { limit, offset } = pageWindow(query);
    const sql = `select ${COLUMNS} from "invoice" order by "id" desc limit $1 offset $2`;
    const rows = await bound<InvoiceRow>(this.em, sql, [limit, offset]);
    const total = await totalOf(rows.length, query, async () => {
      const [row] = await bound<{ n: unknown }>(this.em, `select count(*) as "n" from "invoice"`, []);
      return units(row?.n);
    });
    return toPage(rows, total, query, toInvoice);
  }

  async find(id: number): Promise<StoredInvoice> {
    const [row] = await bound<InvoiceRow>(this.em, `select ${COLUMNS} from "invoice" where "id" = $1`, [id]);
    if (!row) throw new AppError('not-found', 'invoice-not-found', '发票不存在', { params: { id } });
    return toInvoice(row);
  }

  async linesOf(id: number): Promise<InvoiceUsage[]> {
    const rows = await bound<Record<string, string | null>>(
      this.em,
      `select "day"::text as "day", "model", "requests", "input", "cached", "output", "amount"::text as "amount" from "invoice_line" where "invoice_id" = $1`,
      [id],
    );
    return rows.map(({ day, model, amount, ...counts }) => ({
      ...{ day: day ?? '', model: model ?? '', requests: units(counts['requests']), input: units(counts['input']) },
      ...{ cached: units(counts['cached']), output: units(counts['output']) },
      ...(typeof amount === 'string' && { amount: BigInt(amount) }),
    }));
  }

  /** Joins the caller's transaction, until whose end no other import runs. */
  async lock(): Promise<void> {
    await bound(this.em, `select pg_advisory_xact_lock(hashtextextended('tollgate:invoice', 0))`, []);
  }

  /**
   * The id of an earlier invoice with this text and these lines for these channels. The same text gives other lines
   * when it is read in another format, or by other columns.
   */
  async findSame(added: NewInvoice & AddedInvoice): Promise<number | undefined> {
    const { id, linesDigest, digest, textDigest, channel_ids: channels, zone } = added;
    const lines = `select ${INVOICE_LINES_DIGEST} from "invoice_line" where "invoice_id" = i."id"`;
    const [row] = await bound<{ id: number }>(
      this.em,
      `select i."id" from "invoice" i where (i."digest" = $1 or i."text_digest" = $2) and i."channel_ids" = $3::int[] and i."zone" = $4
         and i."id" < $5 and (${lines}) = $6 limit 1`,
      [digest, textDigest, channels, zone, id, linesDigest],
    );
    return row?.id;
  }

  /** Joins the caller's transaction. */
  async add(added: NewInvoice): Promise<AddedInvoice> {
    const { lines, rows, firstDay, lastDay, importedAt, digest, textDigest, ...invoice } = added;
    const { name, format, channel_ids: channels, zone, imported_by: by } = invoice;
    const [row] = await bound<{ id: number }>(
      this.em,
      `insert into "invoice" ("name", "format", "channel_ids", "first_day", "last_day", "zone", "rows", "digest", "text_digest", "imported_by", "imported_at")
       values ($1, $2, $3::int[], $4::date, $5::date, $6, $7, $8, $9, $10, $11) returning "id"`,
      [name, format, channels, firstDay, lastDay, zone, rows, digest, textDigest, by, importedAt.toISOString()],
    );
    const id = row?.id ?? 0;
    await bound(
      this.em,
      `insert into "invoice_line" ("invoice_id", "day", "model", "requests", "input", "cached", "output", "amount")
       select $1::int, e.* from json_to_recordset($2::json) as e("day" date, "model" text, "requests" bigint, "input" bigint, "cached" bigint,
         "output" bigint, "amount" numeric)`,
      [id, rowset(lines.map(({ amount, ...line }) => ({ ...line, amount: amount?.toString() ?? null })))],
    );
    const digestOf = `select ${INVOICE_LINES_DIGEST} as "digest" from "invoice_line" where "invoice_id" = $1`;
    const [stored] = await bound<{ digest: string }>(this.em, digestOf, [id]);
    return { id, linesDigest: stored?.digest ?? '' };
  }
}

const toInvoice = ({ imported_at: at, ...row }: InvoiceRow): StoredInvoice => ({
  ...row,
  imported_time: Math.floor(new Date(at).getTime() / 1000),
});
