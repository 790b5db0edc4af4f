import { defineEntity, p } from '@mikro-orm/core';
import type { LogType } from '@tollgate/contracts';
import type { LogOther } from '@tollgate/contracts/api/log';

/** Type of a row; the type 0 of a filter means all. */
export type RowType = Exclude<LogType, 0>;

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
    type: p.smallint().$type<RowType>(),
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
