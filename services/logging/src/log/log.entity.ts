import { defineEntity, p } from '@mikro-orm/core';
import type { LogOther } from '@tollgate/contracts/api/log';

/** 0 is no type of a row, only the filter "all". */
export const LogType = { topUp: 1, consumption: 2, admin: 3, system: 4, failed: 5 } as const;
export type LogType = (typeof LogType)[keyof typeof LogType];

const log = defineEntity({
  name: 'Log',
  tableName: 'log',
  properties: {
    /** Unix seconds; the table is partitioned by month of it. */
    createdAt: p.bigint('number').primary(),
    id: p.bigint('number').primary(),
    /** The event that the row records; of a request that is its request id. */
    eventId: p.uuid(),
    userId: p.integer(),
    type: p.smallint().$type<LogType>(),
    content: p.text(),
    username: p.text(),
    tokenName: p.text(),
    modelName: p.text(),
    quota: p.bigint('number'),
    promptTokens: p.bigint('number'),
    completionTokens: p.bigint('number'),
    /** Whole seconds. */
    useTime: p.integer(),
    isStream: p.boolean(),
    /** 0 = none was reached. */
    channelId: p.integer(),
    channelName: p.text(),
    /** 0 = playground, or no token at all. */
    tokenId: p.integer(),
    group: p.text(),
    other: p.json<LogOther>().nullable(),
  },
});

/** A line of the usage log. Names are as they were when it was written. Rows are only ever added, or cleared by age. */
export class Log extends log.class {}
log.setClass(Log);
