import { defineEntity, p } from '@mikro-orm/core';

const quarantinedEvent = defineEntity({
  name: 'QuarantinedEvent',
  tableName: 'quarantined_event',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    topic: p.text(),
    partition: p.integer(),
    offset: p.bigint('string').fieldName('record_offset'),
    /** `Class.method` that could not apply it; `parse` when it broke its contract. */
    handler: p.text(),
    /** Null when the record has no readable id. */
    eventId: p.text().nullable(),
    key: p.text(),
    value: p.text(),
    error: p.text(),
    attempts: p.integer(),
    quarantinedAt: p
      .datetime()
      .defaultRaw('now()')
      .onCreate(() => new Date()),
  },
});

/** A record a handler of this service cannot apply, kept once with its error; the partition went on without it. */
export class QuarantinedEvent extends quarantinedEvent.class {}
quarantinedEvent.setClass(QuarantinedEvent);
