import { Body, Controller } from '@nestjs/common';
import { findPicture, findTask, findTasks, noteTask, openTask, settleTask } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { TaskQueries } from './task.queries.js';
import { toOwnTaskRecord, toTaskRecord } from './task.reply.js';
import { TaskService } from './task.service.js';

@Controller()
export class TasksInternalController {
  constructor(
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
    const task = await this.queries.ofRequest(requestId);
    return { task: task ? toTaskRecord(task) : null };
  }

  @Answers(noteTask)
  async note(
    @Body({ schema: noteTask.input }) input: z.output<typeof noteTask.input>,
  ): Promise<z.output<typeof noteTask.output>> {
    return { isKnown: await this.tasks.note(input) };
  }

  @Answers(findPicture)
  async picture(
    @Body({ schema: findPicture.input }) { taskId }: z.output<typeof findPicture.input>,
  ): Promise<z.output<typeof findPicture.output>> {
    return { picture: (await this.queries.picture(taskId)) ?? null };
  }
}
