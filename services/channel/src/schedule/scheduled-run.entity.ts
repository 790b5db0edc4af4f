import { defineEntity, p } from '@mikro-orm/core';

const scheduledRun = defineEntity({
  name: 'ScheduledRun',
  tableName: 'scheduled_run',
  properties: {
    name: p.text().primary(),
    /** The frequency that `nextAt` was planned by. */
    minutes: p.integer(),
    nextAt: p.datetime(),
  },
});

/** When something is done next that is done every so often: whoever moves `nextAt` on does it. */
export class ScheduledRun extends scheduledRun.class {}
scheduledRun.setClass(ScheduledRun);
