import { defineEntity, p } from '@mikro-orm/core';

const quarantinedEvent = defineEntity({
  name: 'QuarantinedEvent',
  tableName: 'quarantined_event',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    topic: p.text(),
    partition: p.integer(),
    offset: p.bigint('string').fieldName('record_offset'),
    /** `Class.method` of the handler that failed; `parse` if the record broke its contract. */
    handler: p.text(),
    /** Null if the record has no readable id. */
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

/** A record that a handler of this service cannot apply, stored once with its error; its partition continued without it. */
export class QuarantinedEvent extends quarantinedEvent.class {}
quarantinedEvent.setClass(QuarantinedEvent);
