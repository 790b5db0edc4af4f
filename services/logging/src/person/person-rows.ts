import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { PERSON_PAGE, type PersonPage, type personOfLogging } from '@tollgate/contracts';
import type { z } from 'zod';
import { AuditEntry } from '../audit/audit-entry.entity.js';
import { Log } from '../log/log.entity.js';
import { toOwnLogReply } from '../search/log.reply.js';

type Question = z.output<typeof personOfLogging.input>;

const isFull = (rows: readonly unknown[]): boolean => rows.length === PERSON_PAGE;
const seconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** What logs hold about a person, oldest first. */
@Injectable()
export class PersonRows {
  constructor(private readonly em: EntityManager) {}

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

  /** As the person sees them: without what tells which channel served. */
  private async logs(userId: number, after: string | null): Promise<PersonPage> {
    const [createdAt = 0, id = 0] = (after ?? '0:0').split(':').map(Number);
    const rows = await this.em.find(
      Log,
      { userId, $or: [{ createdAt: { $gt: createdAt } }, { createdAt, id: { $gt: id } }] },
      { orderBy: { createdAt: 'asc', id: 'asc' }, limit: PERSON_PAGE, disableIdentityMap: true },
    );
    const last = rows.at(-1);
    return {
      rows: rows.map((row) => ({ ...toOwnLogReply(row) })),
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

  /** What was done to the account; by whom is about somebody else. */
  private async audit(userId: number, after: string | null): Promise<PersonPage> {
    const rows = await this.em.find(
      AuditEntry,
      { $or: [{ userId }, { subject: `user:${userId}` }], id: { $gt: Number(after ?? 0) } },
      { orderBy: { id: 'asc' }, limit: PERSON_PAGE, disableIdentityMap: true },
    );
    return {
      rows: rows.map(({ happenedAt, action, subject, text, before, after: result }) => ({
        ...{ created_at: seconds(happenedAt), action, subject, text, before, after: result },
      })),
      next: isFull(rows) ? String(rows.at(-1)?.id) : null,
    };
  }
}
