import { defineEntity, p } from '@mikro-orm/core';

const auditEntry = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  properties: {
    /** In order of arrival, which is not the order of the events, because topics are read in parallel. */
    id: p.bigint('number').primary().autoincrement(),
    /** Increases with time; orders entries with the same `happenedAt`. */
    eventId: p.uuid().unique(),
    /** Null when the system acted by itself. */
    actorId: p.integer().nullable(),
    action: p.text(),
    /** For example `user:5`, `channel:7`, `option:RetryTimes`, `log`. */
    subject: p.text(),
    userId: p.integer().nullable(),
    text: p.text(),
    before: p.json<Record<string, unknown>>().nullable(),
    after: p.json<Record<string, unknown>>().nullable(),
    happenedAt: p.datetime(),
  },
});

/**
 * Who changed what, with the values before and after. A trigger refuses any change or deletion of a row. The order of
 * entries is `happenedAt`, then `eventId`.
 */
export class AuditEntry extends auditEntry.class {}
auditEntry.setClass(AuditEntry);
