import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller } from '@nestjs/common';
import { type PersonPage, personOfChannel } from '@tollgate/contracts';
import { Answers } from '@tollgate/chassis';
import type { z } from 'zod';
import { Task } from '../task/task.entity.js';
import { toOwnTaskRecord } from '../task/task.reply.js';

/** A task may contain half a megabyte of text. */
const PAGE = 20;

@Controller()
export class PersonInternalController {
  constructor(private readonly em: EntityManager) {}

  /** Oldest first, with the fields that the user may see, so without the channel. */
  @Answers(personOfChannel)
  async read(
    @Body({ schema: personOfChannel.input }) { userId, after }: z.output<typeof personOfChannel.input>,
  ): Promise<PersonPage> {
    const tasks = await this.em.find(
      Task,
      { userId, id: { $gt: Number(after ?? 0) } },
      { orderBy: { id: 'asc' }, limit: PAGE, disableIdentityMap: true },
    );
    const rows = tasks.map((task) => {
      const { channelId: _, ...row } = toOwnTaskRecord(task);
      return { ...row, quota: task.quota };
    });
    return { rows, next: tasks.length === PAGE ? String(tasks.at(-1)?.id) : null };
  }
}
