import { defineEntity, p } from '@mikro-orm/core';

const outboxEvent = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_event',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    topic: p.text(),
    key: p.text(),
    /** The serialised envelope, exactly as it is written to the log. */
    value: p.text(),
    createdAt: p
      .datetime()
      .defaultRaw('now()')
      .onCreate(() => new Date()),
    publishedAt: p.datetime().nullable(),
    /** When and why the event log refused the event permanently; an operator can have it sent again by setting this to null. */
    refusedAt: p.datetime().nullable(),
    refusal: p.text().nullable(),
  },
});

/** An event that is published after the transaction that added it has committed. */
export class OutboxEvent extends outboxEvent.class {}
outboxEvent.setClass(OutboxEvent);
