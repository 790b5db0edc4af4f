import { defineEntity, p } from '@mikro-orm/core';

const testResult = defineEntity({
  name: 'TestResult',
  tableName: 'channel_test',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    channelId: p.integer(),
    model: p.text(),
    success: p.boolean(),
    responseTimeMs: p.integer(),
    /** With secrets masked; empty for a success. */
    message: p.text(),
    testedAt: p.datetime(),
  },
});

/** Result of a test of a channel. Only the newest ones per channel are kept. */
export class TestResult extends testResult.class {}
testResult.setClass(TestResult);
