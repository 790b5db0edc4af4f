import { defineEntity, p } from '@mikro-orm/core';

const delivery = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** What asked for it: of several with the same source one is kept. */
    source: p.text(),
    userId: p.integer().nullable(),
    kind: p.text(),
    via: p.text().$type<'mail' | 'webhook'>(),
    target: p.text(),
    /** What leaves, encrypted; gone once that is over. */
    sealedPayload: p.text().nullable(),
    status: p.text().$type<'waiting' | 'sent' | 'failed'>().default('waiting'),
    attempts: p.integer().default(0),
    reason: p.text().default(''),
    /** While waiting: not before this moment. A replica that sends moves it ahead, so that nobody else does meanwhile. */
    nextAttemptAt: p.datetime(),
    /** What is late is of no use any more. */
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});

/** A mail or a webhook that must arrive, whatever happens to the process meanwhile. */
export class Delivery extends delivery.class {}
delivery.setClass(Delivery);
