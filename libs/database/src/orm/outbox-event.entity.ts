import { defineEntity, p } from '@mikro-orm/core';

const outboxEvent = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_event',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    topic: p.text(),
    key: p.text(),
    /** The serialised envelope, the bytes that reach the log. */
    value: p.text(),
    createdAt: p
      .datetime()
      .defaultRaw('now()')
      .onCreate(() => new Date()),
    publishedAt: p.datetime().nullable(),
    /** When the event log refused it for good, and why; it is sent again when a person sets this back to null. */
    refusedAt: p.datetime().nullable(),
    refusal: p.text().nullable(),
  },
});

/** An event that leaves once the transaction that added it has committed. */
export class OutboxEvent extends outboxEvent.class {}
outboxEvent.setClass(OutboxEvent);
