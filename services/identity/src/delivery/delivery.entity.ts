import { defineEntity, p } from '@mikro-orm/core';

const delivery = defineEntity({
  name: 'Delivery',
  tableName: 'delivery',
  properties: {
    id: p.integer().primary().autoincrement(),
    /** What caused the delivery; deliveries with the same source are stored once. */
    source: p.text(),
    userId: p.integer().nullable(),
    kind: p.text(),
    via: p.text().$type<'mail' | 'webhook'>(),
    target: p.text(),
    /** Encrypted content; null once the delivery is finished. */
    sealedPayload: p.text().nullable(),
    status: p.text().$type<'waiting' | 'sent' | 'failed'>().default('waiting'),
    attempts: p.integer().default(0),
    reason: p.text().default(''),
    /**
     * While waiting: the earliest time of the next attempt. A replica that is sending moves it into the future, so that
     * no other replica sends too.
     */
    nextAttemptAt: p.datetime(),
    /** After this time the delivery is given up. */
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});

/** A mail or a webhook that must be sent even if the process dies. */
export class Delivery extends delivery.class {}
delivery.setClass(Delivery);
