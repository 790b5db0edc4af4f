import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { PERSON_PAGE, type PersonPage, type personOfLogging } from '@tollgate/contracts';
import type { z } from 'zod';
import { OwnLogReplies } from '../search/own-log-replies.js';
import { LogStore } from '../store/log-store.js';

type Question = z.output<typeof personOfLogging.input>;

const isFull = (rows: readonly unknown[]): boolean => rows.length === PERSON_PAGE;

/** Notes of administrators to each other, and their identities. */
const THEIRS = `'{reason,note,requesterId,approvedBy,approval}'::text[]`;
const entriesOf = (which: string): string =>
  `select "id", floor(extract(epoch from "happened_at"))::int as "created_at", "action", "subject", "text",
     "before" - ${THEIRS} as "before", "after" - ${THEIRS} as "after"
   from "audit_entry" where ${which} and "id" > ? and "action" not like 'approval-%'`;
/** Each half uses its own index; an entry found by both appears once. */
const auditPage = `select * from (${entriesOf('"subject" = ?')} union ${entriesOf('"user_id" = ?')}) e order by "id" limit ?`;

/** A person's data in usage log and audit log, oldest first. */
@Injectable()
export class PersonRows {
  constructor(
    private readonly em: EntityManager,
    private readonly store: LogStore,
    private readonly own: OwnLogReplies,
  ) {}

  page({ section, userId, after }: Question): Promise<PersonPage> {
    return this.sections[section](userId, after);
  }

  private readonly sections: Record<
    Question['section'],
    (userId: number, after: string | null) => Promise<PersonPage>
  > = {
    logs: (userId, after) => this.logs(userId, after),
    refused_calls: (userId, after) => this.refusedCalls(userId, after),
    audit: (userId, after) => this.audit(userId, after),
  };

  /** With the fields that the person may see, so without the channel and the row's number in the log. */
  private async logs(userId: number, after: string | null): Promise<PersonPage> {
    const [createdAt = 0, id = 0] = (after ?? '0:0').split(':').map(Number);
    const rows = await this.store.ofUser(userId, { createdAt, id }, PERSON_PAGE);
    const last = rows.at(-1);
    return {
      rows: rows.map((row) => ({ ...this.own.of(row) })),
      next: last && isFull(rows) ? `${last.createdAt}:${last.id}` : null,
    };
  }

  private async refusedCalls(userId: number, after: string | null): Promise<PersonPage> {
    const [batch = '00000000-0000-0000-0000-000000000000', position = '-1'] = after?.split(':') ?? [];
    const rows = await this.em.execute<({ batch_id: string; position: number } & Record<string, unknown>)[]>(
      `select "batch_id", "position", "minute"::int as "minute", "reason", "status", "message", "token_id", "model", "count"::int as "count"
       from "refused_calls" where "user_id" = ? and ("batch_id", "position") > (?::uuid, ?::int) order by "batch_id", "position" limit ?`,
      [userId, batch, Number(position), PERSON_PAGE],
    );
    const last = rows.at(-1);
    return {
      rows: rows.map(({ batch_id: _, position: __, ...row }) => row),
      next: last && isFull(rows) ? `${last.batch_id}:${last.position}` : null,
    };
  }

  /**
   * Actions on the person's account, without the administrators' identities and notes, which concern others. Approvals
   * are in billing's part of the archive.
   */
  private async audit(userId: number, after: string | null): Promise<PersonPage> {
    const from = Number(after ?? 0);
    const values = [`user:${userId}`, from, userId, from, PERSON_PAGE];
    const rows = await this.em.execute<({ id: string } & Record<string, unknown>)[]>(auditPage, values);
    return { rows: rows.map(({ id: _, ...row }) => row), next: isFull(rows) ? String(rows.at(-1)?.id) : null };
  }
}
