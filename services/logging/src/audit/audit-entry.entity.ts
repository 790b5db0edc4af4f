import { defineEntity, p } from '@mikro-orm/core';

const auditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    /** The order of arrival only: topics are read side by side. */
    id: p.bigint('number').primary().autoincrement(),
    /** Grows with time; among entries of the same `happenedAt` it says which came first. */
    eventId: p.uuid().unique(),
    /** Null when the system acted by itself. */
    actorId: p.integer().nullable(),
    action: p.text(),
    /** `user:5`, `channel:7`, `option:RetryTimes`, `log`. */
    subject: p.text(),
    userId: p.integer().nullable(),
    text: p.text(),
    before: p.json<Record<string, unknown>>().nullable(),
    after: p.json<Record<string, unknown>>().nullable(),
    happenedAt: p.datetime(),
  },
});

/**
 * Who changed what, with before and after; a trigger refuses to change or remove a row. Entries follow one another by
 * `happenedAt`, then `eventId`.
 */
export class AuditEntry extends auditEntry.class {}
auditEntry.setClass(AuditEntry);
