import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import {
  findChannelType,
  findPicture,
  findTask,
  findTasks,
  isFinalPicture,
  noteTask,
  openTask,
  settleTask,
} from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { proxyOf } from '../channel/channel-target.js';
import { Channel } from '../channel/channel.entity.js';
import { Task } from './task.entity.js';
import { TaskQueries } from './task.queries.js';
import { toOwnTaskRecord, toTaskRecord } from './task.reply.js';
import { TaskService } from './task.service.js';

@Controller()
export class TasksInternalController {
  constructor(
    private readonly em: EntityManager,
    private readonly tasks: TaskService,
    private readonly queries: TaskQueries,
  ) {}

  @Answers(openTask)
  async open(
    @Body({ schema: openTask.input }) input: z.output<typeof openTask.input>,
  ): Promise<z.output<typeof openTask.output>> {
    return this.tasks.open(input);
  }

  @Answers(settleTask)
  async settle(
    @Body({ schema: settleTask.input }) input: z.output<typeof settleTask.input>,
  ): Promise<z.output<typeof settleTask.output>> {
    return { isKnown: await this.tasks.settle(input) };
  }

  @Answers(findTasks)
  async find(
    @Body({ schema: findTasks.input }) input: z.output<typeof findTasks.input>,
  ): Promise<z.output<typeof findTasks.output>> {
    return { tasks: (await this.tasks.find(input)).map(toOwnTaskRecord) };
  }

  @Answers(findTask)
  async one(
    @Body({ schema: findTask.input }) { requestId }: z.output<typeof findTask.input>,
  ): Promise<z.output<typeof findTask.output>> {
    const task = await this.em.findOne(Task, { requestId }, { disableIdentityMap: true });
    return { task: task && toTaskRecord(task) };
  }

  @Answers(noteTask)
  async note(
    @Body({ schema: noteTask.input }) input: z.output<typeof noteTask.input>,
  ): Promise<z.output<typeof noteTask.output>> {
    return { isKnown: await this.tasks.note(input) };
  }

  /** Pictures are fetched in the same way as the channel's other calls, e.g. through its proxy. */
  @Answers(findPicture)
  async picture(
    @Body({ schema: findPicture.input }) { taskId }: z.output<typeof findPicture.input>,
  ): Promise<z.output<typeof findPicture.output>> {
    const task = await this.queries.get(taskId);
    if (!task || task.imageUrl === '') return { picture: null };
    const channel = await this.em.findOne(Channel, { id: task.channelId }, { disableIdentityMap: true });
    const { imageUrl: url } = task;
    const base = channel ? channel.baseUrl || (findChannelType(channel.type)?.baseUrl ?? '') : '';
    const isOfChannel = URL.parse(url)?.host !== undefined && URL.parse(url)?.host === URL.parse(base)?.host;
    return {
      picture: {
        ...{ url, proxy: channel ? proxyOf(channel) : '', isOfChannel },
        isFinal: isFinalPicture(task.status),
      },
    };
  }
}
