import { defineEntity, p } from '@mikro-orm/core';

const quotaHour = defineEntity({
  name: 'QuotaHour',
  tableName: 'quota_hour',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    userId: p.integer(),
    username: p.text(),
    modelName: p.text(),
    /** Start of the hour, Unix seconds. */
    hour: p.bigint('number'),
    count: p.bigint('number'),
    quota: p.bigint('number'),
    tokenUsed: p.bigint('number'),
    /** The quota of the log's rows: without what was cleared, and with what the dashboard was not to count. */
    loggedQuota: p.bigint('number'),
  },
});

/** What a user spent on a model in an hour: the dashboard's row where `count` is above 0. */
export class QuotaHour extends quotaHour.class {}
quotaHour.setClass(QuotaHour);
