import { defineEntity, p } from '@mikro-orm/core';

const channelHour = defineEntity({
  name: 'ChannelHour',
  tableName: 'channel_hour',
  properties: {
    channelId: p.integer().primary(),
    /** Start of the hour, in Unix seconds. */
    hour: p.bigint('number').primary(),
    /** Attempts on the channel; a request may have several attempts, on different channels. */
    requests: p.bigint('number'),
    /** Attempts that failed through the channel's fault. */
    failures: p.bigint('number'),
    /** Completed attempts, and the sum of their durations. */
    answers: p.bigint('number'),
    durationMsSum: p.bigint('number'),
    firstTokenMsSum: p.bigint('number'),
    /**
     * Streams by time to first token: one counter per bound of `first-token-buckets.ts`, and one above the last bound.
     */
    firstTokenBuckets: p.array((text) => Number(text)).columnType('bigint[]'),
  },
});

/** Attempts, failures and times of a channel in an hour. */
export class ChannelHour extends channelHour.class {}
channelHour.setClass(ChannelHour);
