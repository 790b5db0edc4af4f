import { defineEntity, p } from '@mikro-orm/core';
import type { LogOther } from '@tollgate/contracts/api/log';

/** 0 is not a type of rows; as a filter it means all. */
export const LogType = { topUp: 1, consumption: 2, admin: 3, system: 4, failed: 5 } as const;
export type LogType = (typeof LogType)[keyof typeof LogType];

const log = defineEntity({
  name: 'Log',
  tableName: 'log',
  properties: {
    /** In Unix seconds; the table is partitioned by month of this column. */
    createdAt: p.bigint('number').primary(),
    id: p.bigint('number').primary(),
    /** Id of the event that the row records; for a request this is its request id. */
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
    /** In whole seconds. */
    useTime: p.integer(),
    isStream: p.boolean(),
    /** 0 = no channel was tried. */
    channelId: p.integer(),
    channelName: p.text(),
    /** 0 = playground, or no token. */
    tokenId: p.integer(),
    group: p.text(),
    other: p.json<LogOther>().nullable(),
  },
});

/**
 * A row of the usage log, with names as they were when it was written. Rows are only inserted, cleared by age, or
 * stripped of names by an erasure.
 */
export class Log extends log.class {}
log.setClass(Log);
