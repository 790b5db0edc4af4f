import { EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Page } from '@tollgate/contracts';
import type { AuditEntry as AuditReply, AuditQuery } from '@tollgate/contracts/api/audit';
import { startPattern, toPage } from '@tollgate/database';
import { NamesClient } from '../log/names.client.js';
import { AuditEntry } from './audit-entry.entity.js';

/** Reads the audit log, newest first. */
@Injectable()
export class AuditQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly names: NamesClient,
  ) {}

  async list(query: AuditQuery): Promise<Page<AuditReply>> {
    const { page, size } = query;
    const [entries, total] = await this.em.findAndCount(AuditEntry, conditionsOf(query), {
      orderBy: [{ happenedAt: 'desc' }, { eventId: 'desc' }],
      limit: size,
      offset: (page - 1) * size,
      disableIdentityMap: true,
    });
    const names = await this.names.resolve({ users: entries.map(({ actorId }) => actorId ?? 0) });
    return toPage(entries, total, query, (entry) => toReply(entry, names.user(entry.actorId ?? 0)));
  }
}

function conditionsOf(query: AuditQuery): FilterQuery<AuditEntry> {
  const { actor_id: actorId, action, subject, start_timestamp: from, end_timestamp: to } = query;
  const at = {
    ...(from !== 0 && { $gte: new Date(from * 1000) }),
    // The whole second.
    ...(to !== 0 && { $lt: new Date((to + 1) * 1000) }),
  };
  return {
    ...(actorId !== 0 && { actorId }),
    ...(action !== '' && { action: { $like: startPattern(action) } }),
    ...(subject !== '' && { subject: { $like: startPattern(subject) } }),
    ...(Object.keys(at).length > 0 && { happenedAt: at }),
  };
}

const toReply = (entry: AuditEntry, actorName: string): AuditReply => ({
  id: entry.id,
  event_id: entry.eventId,
  created_at: Math.floor(entry.happenedAt.getTime() / 1000),
  actor_id: entry.actorId ?? 0,
  actor_name: actorName,
  action: entry.action,
  subject: entry.subject,
  user_id: entry.userId ?? 0,
  text: entry.text,
  before: entry.before ?? null,
  after: entry.after ?? null,
});
