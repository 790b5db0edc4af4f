import { defineEntity, p } from '@mikro-orm/core';

const refusedCalls = defineEntity({
  name: 'RefusedCallsRow',
  tableName: 'refused_calls',
  properties: {
    /** Of the report of a relay; a report that comes again adds nothing. */
    batchId: p.uuid().primary(),
    position: p.integer().primary(),
    /** Its start, Unix seconds. */
    minute: p.bigint('number'),
    reason: p.text(),
    status: p.integer(),
    message: p.text(),
    tokenId: p.integer(),
    userId: p.integer(),
    model: p.text(),
    count: p.bigint('number'),
    requestIds: p.json<string[]>(),
  },
});

/** What a relay refused in a minute, before it could cost anything. Several rows may record the same: they are added up when read. */
export class RefusedCallsRow extends refusedCalls.class {}
refusedCalls.setClass(RefusedCallsRow);
