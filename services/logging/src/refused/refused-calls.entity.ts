import { defineEntity, p } from '@mikro-orm/core';

const refusedCalls = defineEntity({
  name: 'RefusedCallsRow',
  tableName: 'refused_calls',
  properties: {
    /** Id of the relay's report, so that a repeated report adds nothing. */
    batchId: p.uuid().primary(),
    position: p.integer().primary(),
    /** Start of the minute, in Unix seconds. */
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

/**
 * Calls that a relay refused in a minute before they could cost anything. Several rows may describe the same refusal;
 * they are added up when they are read.
 */
export class RefusedCallsRow extends refusedCalls.class {}
refusedCalls.setClass(RefusedCallsRow);
