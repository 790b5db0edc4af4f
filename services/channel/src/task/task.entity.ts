import { defineEntity, p } from '@mikro-orm/core';
import type { TaskPlatform } from '@tollgate/contracts';

const task = defineEntity({
  name: 'Task',
  tableName: 'task',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** Id of the request that submitted the task: its natural key, and the id of its posting in the journal. */
    requestId: p.uuid(),
    userId: p.integer(),
    /** 0 = none. */
    tokenId: p.integer(),
    /** No foreign key: a task is kept when its channel is deleted. */
    channelId: p.integer(),
    platform: p.text().$type<TaskPlatform>(),
    action: p.text(),
    /** Empty until the upstream has accepted the task. */
    upstreamId: p.text().default(''),
    code: p.integer().default(0),
    /** Charge of the request, in units; the amount of a refund is read from the journal. */
    quota: p.bigint('number').default(0),
    status: p.text().default(''),
    progress: p.text().default('0%'),
    prompt: p.text().default(''),
    promptEn: p.text().default(''),
    description: p.text().default(''),
    state: p.text().default(''),
    imageUrl: p.text().default(''),
    failReason: p.text().default(''),
    /** JSON texts as the upstream sent them. */
    buttons: p.text().default(''),
    properties: p.text().default(''),
    data: p.text().default(''),
    submittedAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    /** When the upstream's reply to the submission was recorded. */
    settledAt: p.datetime().nullable(),
    /** When the task ended; it does not change afterwards. */
    overAt: p.datetime().nullable(),
    /** Whether the event for the refund was published. */
    isRefunded: p.boolean().default(false),
    /** Earliest time of the next poll. */
    pollAt: p.datetime(),
    /** Number of polls since the last progress; the pause before the next poll grows with it. */
    idlePolls: p.integer().default(0),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A drawing or a song that an upstream is working on. */
export class Task extends task.class {}
task.setClass(Task);
