import { defineEntity, p } from '@mikro-orm/core';
import type { EventOf, taskUpdated } from '@tollgate/contracts';

export type FailedTask = EventOf<typeof taskUpdated>['data'];

const taskRefund = defineEntity({
  name: 'TaskRefund',
  tableName: 'task_refund',
  properties: {
    /** Of the request that submitted the task, and so of the posting that charged it. */
    requestId: p.uuid().primary(),
    task: p.json<FailedTask>(),
    createdAt: p.datetime().defaultRaw('now()'),
    /** The price went back, or there was none. */
    doneAt: p.datetime().nullable(),
    /** Tries that failed. */
    failures: p.integer().default(0),
    /** Not tried before then, if it failed. */
    retryAt: p.datetime().nullable(),
  },
});

/** A failed task whose price goes back as soon as the journal shows it. */
export class TaskRefund extends taskRefund.class {}
taskRefund.setClass(TaskRefund);
