import { defineEntity, p } from '@mikro-orm/core';

const scheduledRun = defineEntity({
  name: 'ScheduledRun',
  tableName: 'scheduled_run',
  properties: {
    name: p.text().primary(),
    /** The interval from which `nextAt` was computed. */
    minutes: p.integer(),
    nextAt: p.datetime(),
  },
});

/** The next time of a periodic job. The process that succeeds in moving `nextAt` forward runs it. */
export class ScheduledRun extends scheduledRun.class {}
scheduledRun.setClass(ScheduledRun);
