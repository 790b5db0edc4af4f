import type { FilterQuery } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  findChannelType,
  type findPicture,
  isFinalPicture,
  type PageQuery,
  type TaskPlatform,
} from '@tollgate/contracts';
import { LAST_MILLISECOND, MAX_ID } from '@tollgate/contracts/api/fields';
import { findPage } from '@tollgate/database';
import type { z } from 'zod';
import { proxyOf } from '../channel/channel-target.js';
import { Channel } from '../channel/channel.entity.js';
import { Task } from './task.entity.js';

/** Filter of a list; 0 and '' match everything. Times are those of the submission, in milliseconds. */
export interface TaskFilter {
  userId: number;
  channelId: number;
  platform?: TaskPlatform;
  upstreamId: string;
  status: string;
  action: string;
  from: number;
  until: number;
}

interface TaskPage {
  tasks: Task[];
  total: number;
}

type TaskPicture = NonNullable<z.output<typeof findPicture.output>['picture']>;

@Injectable()
export class TaskQueries {
  constructor(private readonly em: EntityManager) {}

  /** Newest first. */
  async list(filter: TaskFilter, page: PageQuery): Promise<TaskPage> {
    const where = matching(filter);
    if (!where) return { tasks: [], total: 0 };
    const [tasks, total] = await findPage(this.em, Task, where, page);
    return { tasks, total };
  }

  async get(id: number): Promise<Task | undefined> {
    return (await this.em.findOne(Task, { id }, { disableIdentityMap: true })) ?? undefined;
  }

  async ofRequest(requestId: string): Promise<Task | undefined> {
    return (await this.em.findOne(Task, { requestId }, { disableIdentityMap: true })) ?? undefined;
  }

  /** Where the picture of a task is. It is fetched in the same way as the channel's other calls, e.g. through its proxy. */
  async picture(id: number): Promise<TaskPicture | undefined> {
    const task = await this.get(id);
    if (!task || task.imageUrl === '') return undefined;
    const channel = await this.em.findOne(Channel, { id: task.channelId }, { disableIdentityMap: true });
    const { imageUrl: url } = task;
    const base = channel ? channel.baseUrl || (findChannelType(channel.type)?.baseUrl ?? '') : '';
    const isOfChannel = URL.parse(url)?.host !== undefined && URL.parse(url)?.host === URL.parse(base)?.host;
    return { url, proxy: channel ? proxyOf(channel) : '', isOfChannel, isFinal: isFinalPicture(task.status) };
  }
}

/** `undefined` when nothing can match. */
function matching(filter: TaskFilter): FilterQuery<Task> | undefined {
  const { channelId, from, until, ...equal } = filter;
  if (channelId < 0 || channelId > MAX_ID || from > LAST_MILLISECOND) return undefined;
  const asked = Object.entries({ ...equal, channelId }).filter(([, value]) => value !== '' && value !== 0);
  const submittedAt = {
    ...(from > 0 && { $gte: new Date(from) }),
    ...(until > 0 && { $lte: new Date(Math.min(until, LAST_MILLISECOND)) }),
  };
  return {
    ...(Object.fromEntries(asked) as FilterQuery<Task> & object),
    ...((from > 0 || until > 0) && { submittedAt }),
  };
}
