import { defineEntity, p } from '@mikro-orm/core';

const auditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
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

/** Who changed what, with before and after; a trigger refuses to change or remove a row. */
export class AuditEntry extends auditEntry.class {}
auditEntry.setClass(AuditEntry);
