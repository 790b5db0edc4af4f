import { defineEntity, p } from '@mikro-orm/core';

const quotaHour = defineEntity({
  name: 'QuotaHour',
  tableName: 'quota_hour',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    userId: p.integer(),
    username: p.text(),
    modelName: p.text(),
    /** Start of the hour, in Unix seconds. */
    hour: p.bigint('number'),
    count: p.bigint('number'),
    quota: p.bigint('number'),
    tokenUsed: p.bigint('number'),
    /**
     * Quota of the existing log rows: decreases when rows are cleared, and includes rows that the dashboard does not
     * count.
     */
    loggedQuota: p.bigint('number'),
  },
});

/** A user's usage of a model in an hour; the dashboard shows rows with `count` above 0. */
export class QuotaHour extends quotaHour.class {}
quotaHour.setClass(QuotaHour);
