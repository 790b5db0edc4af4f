import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page, PersonPage } from '@tollgate/contracts';
import type { JournalFilter, JournalQuery, PostingReply } from '@tollgate/contracts/api/journal';
import { isUuid, leastIdAt } from '@tollgate/chassis';
import { pageWindow, toPage } from '@tollgate/database';
import { units } from '../units.js';
import { type PostingRow, toPostingReply } from './journal.reply.js';

/**
 * Pages and totals only reach this many rows, so that a page of ten million rows costs as little as one of ten
 * thousand.
 */
const REACHABLE_ROWS = 10_000;
const EXPORTED_AT_ONCE = 1_000;
const COLUMNS = `"id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "price_version", "actor_id", "reason",
  "model", "group", "channel_id", "booked_at"`;
/** Most rows that are read for one reference; an order, code or command has a handful. */
const SAME_REFERENCE = 100;

interface Conditions {
  where: string;
  params: unknown[];
}

/** Lists the journal for people, newest first. Rows beyond the reachable ones are found with filters, or exported. */
@Injectable()
export class JournalQueries {
  constructor(private readonly em: EntityManager) {}

  async list(query: JournalQuery, own = false): Promise<Page<PostingReply>> {
    const conditions = await this.conditionsOf(query);
    const { limit, offset } = pageWindow(query);
    const rows = offset < REACHABLE_ROWS && conditions ? await this.rows(conditions, limit, offset) : [];
    const total = conditions ? await this.count(conditions) : 0;
    return toPage(rows, total, query, (row) => toPostingReply(row, own));
  }

  /** All rows that match the filter, in pieces that are read on demand. */
  async *pieces(filter: JournalFilter, own = false): AsyncGenerator<PostingReply[]> {
    const em = this.em.fork();
    const conditions = await this.conditionsOf(filter);
    let before: string | undefined;
    while (conditions) {
      const rows = await this.rows(below(conditions, before), EXPORTED_AT_ONCE, 0, em);
      if (rows.length > 0) yield rows.map((row) => toPostingReply(row, own));
      if (rows.length < EXPORTED_AT_ONCE) return;
      before = rows.at(-1)?.id;
    }
  }

  /** All rows of one wallet as its owner sees them, oldest first; `next` is null on the last page. */
  async pageOf(userId: number, after: string | null, limit: number): Promise<PersonPage> {
    const rows = await this.em.execute<PostingRow[]>(
      `select ${COLUMNS} from "posting" where "user_id" = ? and "id" > ?::uuid order by "id" limit ?`,
      [userId, after ?? '00000000-0000-0000-0000-000000000000', limit],
    );
    const next = rows.length === limit ? (rows.at(-1)?.id ?? null) : null;
    return { rows: rows.map((row) => ({ ...toPostingReply(row, true) })), next };
  }

  private rows({ where, params }: Conditions, limit: number, offset: number, em = this.em): Promise<PostingRow[]> {
    const sql = `select ${COLUMNS} from "posting" where ${where} order by "id" desc limit ? offset ?`;
    return em.execute<PostingRow[]>(sql, [...params, limit, offset]);
  }

  private async count({ where, params }: Conditions): Promise<number> {
    const [row] = await this.em.execute<{ total: unknown }[]>(
      `select count(*) as "total" from (select 1 from "posting" where ${where} limit ?) as matching`,
      [...params, REACHABLE_ROWS],
    );
    return units(row?.total);
  }

  /**
   * `undefined` where nothing can match. Every combination of filters uses an index: of the id, user, code or actor.
   */
  private async conditionsOf(filter: JournalFilter): Promise<Conditions | undefined> {
    const { user_id: userId, token_id: tokenId, actor_id: actorId, code, reference } = filter;
    const parts: [string, unknown][] = [];
    if (userId > 0) parts.push(['"user_id" = ?', userId]);
    if (tokenId > 0) {
      // A token's rows all belong to its user, whose rows are indexed.
      const owner = await this.ownerOf(tokenId);
      if (owner === undefined) return undefined;
      parts.push(['"user_id" = ?', owner], ['"token_id" = ?', tokenId]);
    }
    if (actorId > 0) parts.push(['"actor_id" = ?', actorId]);
    if (code !== '')
      parts.push([code === 'consumption' ? '"code" = ?' : `"code" <> 'consumption' and "code" = ?`, code]);
    if (filter.start_timestamp > 0) parts.push(['"id" >= ?', leastIdAt(filter.start_timestamp * 1000)]);
    if (filter.end_timestamp > 0) parts.push(['"id" < ?', leastIdAt((filter.end_timestamp + 1) * 1000)]);
    if (reference !== '') {
      const ids = await this.idsOf(reference);
      if (ids.length === 0) return undefined;
      parts.push([`"id" in (select value::uuid from json_array_elements_text(?::json))`, JSON.stringify(ids)]);
    }
    return {
      where: parts.length > 0 ? parts.map(([text]) => text).join(' and ') : 'true',
      params: parts.map(([, value]) => value),
    };
  }

  private async ownerOf(tokenId: number): Promise<number | undefined> {
    const [row] = await this.em.execute<{ user_id: number }[]>(`select "user_id" from "token" where "id" = ?`, [
      tokenId,
    ]);
    return row?.user_id;
  }

  private async idsOf(reference: string): Promise<string[]> {
    const rows = await this.em.execute<{ posting_id: string }[]>(
      `select "posting_id" from "posting_key" where "reference" = ? and "posting_id" is not null limit ?`,
      [reference, SAME_REFERENCE],
    );
    return [...rows.map((row) => row.posting_id), ...(isUuid(reference) ? [reference.toLowerCase()] : [])];
  }
}

const below = ({ where, params }: Conditions, id: string | undefined): Conditions =>
  id === undefined ? { where, params } : { where: `${where} and "id" < ?`, params: [...params, id] };
