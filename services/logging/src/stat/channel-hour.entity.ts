import { defineEntity, p } from '@mikro-orm/core';

const channelHour = defineEntity({
  name: 'ChannelHour',
  tableName: 'channel_hour',
  properties: {
    channelId: p.integer().primary(),
    /** Start of the hour, Unix seconds. */
    hour: p.bigint('number').primary(),
    /** Attempts at the channel; one request may have several, at different channels. */
    requests: p.bigint('number'),
    /** Attempts the channel is to blame for. */
    failures: p.bigint('number'),
    /** Attempts that were answered whole, and what they took together. */
    answers: p.bigint('number'),
    durationMsSum: p.bigint('number'),
    firstTokenMsSum: p.bigint('number'),
    /** Streams by the time to their first token, one counter per bound of `first-token-buckets.ts` and one above the last. */
    firstTokenBuckets: p.array((text) => Number(text)).columnType('bigint[]'),
  },
});

/** How a channel did in an hour. */
export class ChannelHour extends channelHour.class {}
channelHour.setClass(ChannelHour);
