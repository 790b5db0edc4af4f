import { defineEntity, p } from '@mikro-orm/core';
import type { EventOf, taskUpdated } from '@tollgate/contracts';

export type FailedTask = EventOf<typeof taskUpdated>['data'];

const taskRefund = defineEntity({
  name: 'TaskRefund',
  tableName: 'task_refund',
  properties: {
    /** The id of the request that submitted the task, which is also the id of the posting that charged it. */
    requestId: p.uuid().primary(),
    task: p.json<FailedTask>(),
    createdAt: p.datetime().defaultRaw('now()'),
    /** Set when the price was refunded, or there was none. */
    doneAt: p.datetime().nullable(),
    /** Number of failed attempts. */
    failures: p.integer().default(0),
    /** Earliest time of the next attempt after a failure. */
    retryAt: p.datetime().nullable(),
  },
});

/** A failed task whose price is refunded as soon as it is booked. */
export class TaskRefund extends taskRefund.class {}
taskRefund.setClass(TaskRefund);
