import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page } from '@tollgate/contracts';
import type { AuditEntry as AuditReply, AuditQuery } from '@tollgate/contracts/api/audit';
import { unixSeconds } from '@tollgate/chassis';
import { pageWindow, startPattern, toPage, totalOf } from '@tollgate/database';
import { NamesClient } from '../log/names.client.js';
import { toCount } from '../rowset.js';

/** Pages and totals end at this row: nothing is ever deleted, and a query must not get slower each year. */
const REACHABLE_ROWS = 10_000;

interface Row {
  id: string;
  event_id: string;
  actor_id: number | null;
  action: string;
  subject: string;
  user_id: number | null;
  text: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  happened_at: string | Date;
}
interface Conditions {
  where: string;
  values: unknown[];
}

/** Reads the audit log, newest first. Rows beyond the limit can be reached by the filters. */
@Injectable()
export class AuditQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly names: NamesClient,
  ) {}

  async list(query: AuditQuery): Promise<Page<AuditReply>> {
    const conditions = conditionsOf(query);
    const { limit, offset } = pageWindow(query);
    const rows = offset < REACHABLE_ROWS ? await this.rows(conditions, limit, offset) : [];
    const total = await totalOf(rows.length, query, () => this.count(conditions));
    const names = await this.names.resolve({ users: rows.map(({ actor_id: id }) => id ?? 0) });
    return toPage(rows, total, query, (row) => toReply(row, names.user(row.actor_id ?? 0)));
  }

  private rows({ where, values }: Conditions, limit: number, offset: number): Promise<Row[]> {
    return this.em.execute<Row[]>(
      `select "id", "event_id", "actor_id", "action", "subject", "user_id", "text", "before", "after", "happened_at"
       from "audit_entry" where ${where} order by "happened_at" desc, "event_id" desc limit ? offset ?`,
      [...values, limit, offset],
    );
  }

  private async count({ where, values }: Conditions): Promise<number> {
    const [row] = await this.em.execute<{ total: unknown }[]>(
      `select count(*) as "total" from (select 1 from "audit_entry" where ${where} limit ?) as "matching"`,
      [...values, REACHABLE_ROWS],
    );
    return toCount(row?.total);
  }
}

function conditionsOf(query: AuditQuery): Conditions {
  const { actor_id: actorId, action, subject, start_timestamp: from, end_timestamp: to } = query;
  const parts: [string, unknown][] = [];
  if (actorId !== 0) parts.push(['"actor_id" = ?', actorId]);
  if (action !== '') parts.push(['"action" like ?', startPattern(action)]);
  if (subject !== '') parts.push(['"subject" like ?', startPattern(subject)]);
  if (from !== 0) parts.push(['"happened_at" >= ?', new Date(from * 1000)]);
  // Includes the whole last second.
  if (to !== 0) parts.push(['"happened_at" < ?', new Date((to + 1) * 1000)]);
  return { where: parts.map(([part]) => part).join(' and ') || 'true', values: parts.map(([, value]) => value) };
}

const toReply = (row: Row, actorName: string): AuditReply => ({
  id: toCount(row.id),
  event_id: row.event_id,
  created_at: unixSeconds(row.happened_at),
  actor_id: row.actor_id ?? 0,
  actor_name: actorName,
  action: row.action,
  subject: row.subject,
  user_id: row.user_id ?? 0,
  text: row.text,
  before: row.before,
  after: row.after,
});
