import { defineEntity, p } from '@mikro-orm/core';
import type { TaskPlatform } from '@tollgate/contracts';

const task = defineEntity({
  name: 'Task',
  tableName: 'task',
  properties: {
    id: p.bigint('number').primary().autoincrement(),
    /** Of the request that submitted it: its natural key here, and the id of its posting in the journal. */
    requestId: p.uuid(),
    userId: p.integer(),
    /** 0 = none. */
    tokenId: p.integer(),
    /** No reference: a task outlives its channel. */
    channelId: p.integer(),
    platform: p.text().$type<TaskPlatform>(),
    action: p.text(),
    /** Empty until the upstream has accepted it. */
    upstreamId: p.text().default(''),
    code: p.integer().default(0),
    /** Units that its request is charged; what goes back is read from the journal. */
    quota: p.bigint('number').default(0),
    status: p.text().default(''),
    progress: p.text().default('0%'),
    prompt: p.text().default(''),
    promptEn: p.text().default(''),
    description: p.text().default(''),
    state: p.text().default(''),
    imageUrl: p.text().default(''),
    failReason: p.text().default(''),
    /** JSON texts as they came. */
    buttons: p.text().default(''),
    properties: p.text().default(''),
    data: p.text().default(''),
    submittedAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    finishedAt: p.datetime().nullable(),
    /** The upstream's answer is recorded. */
    settledAt: p.datetime().nullable(),
    /** Nothing changes any more. */
    overAt: p.datetime().nullable(),
    /** A failure was told to billing. */
    isRefunded: p.boolean().default(false),
    /** Not asked for before. */
    pollAt: p.datetime(),
    /** Without any news since; the more, the longer until the next. */
    idlePolls: p.integer().default(0),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A drawing or a song that an upstream works on. */
export class Task extends task.class {}
task.setClass(Task);
