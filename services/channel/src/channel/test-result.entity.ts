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
    /** Masked; empty for a success. */
    message: p.text(),
    testedAt: p.datetime(),
  },
});

/** What a test of a channel found. The newest of each channel are kept. */
export class TestResult extends testResult.class {}
testResult.setClass(TestResult);
