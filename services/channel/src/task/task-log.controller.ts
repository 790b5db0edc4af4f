import { Controller, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import {
  type DrawingListQuery,
  drawingListQuerySchema,
  type TaskListQuery,
  taskListQuerySchema,
} from '@tollgate/contracts/api/task';
import {
  type Caller,
  Clock,
  CurrentCaller,
  Host,
  OptionStore,
  RawReply,
  Route,
  SecretBox,
  ownAddress,
} from '@tollgate/chassis';
import { type PictureAddresses, toCreativeTask, toDrawing } from './task.reply.js';
import { type TaskFilter, TaskQueries } from './task.queries.js';

const EVERYBODY = 0;

/** The documented reply is a bare array, so the total number of matches is sent in a header. */
const toListReply = (data: object[], total: number): RawReply =>
  new RawReply({ success: true, message: '', data }, 200, { 'X-Total-Count': String(total) });

/** The drawing log and the task log. Users see their own rows only, without the channel. */
@Controller()
export class TaskLogController {
  constructor(
    private readonly queries: TaskQueries,
    private readonly options: OptionStore,
    private readonly secrets: SecretBox,
    private readonly host: Host,
    private readonly clock: Clock,
  ) {}

  @Route(routes.listDrawings)
  listDrawings(@Query({ schema: drawingListQuerySchema }) query: DrawingListQuery): Promise<RawReply> {
    return this.drawings(query, EVERYBODY);
  }

  @Route(routes.listOwnDrawings)
  listOwnDrawings(
    @Query({ schema: drawingListQuerySchema }) query: DrawingListQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<RawReply> {
    return this.drawings({ ...query, channel_id: 0 }, userId);
  }

  @Route(routes.listTasks)
  listTasks(@Query({ schema: taskListQuerySchema }) query: TaskListQuery): Promise<RawReply> {
    return this.creativeTasks(query, EVERYBODY);
  }

  @Route(routes.listOwnTasks)
  listOwnTasks(
    @Query({ schema: taskListQuerySchema }) query: TaskListQuery,
    @CurrentCaller() { userId }: Caller,
  ): Promise<RawReply> {
    return this.creativeTasks({ ...query, channel_id: 0 }, userId);
  }

  private async drawings(query: DrawingListQuery, userId: number): Promise<RawReply> {
    const filter: TaskFilter = {
      ...{ userId, platform: 'midjourney', channelId: query.channel_id, upstreamId: query.mj_id },
      ...{ status: query.status, action: query.action, from: query.start_timestamp, until: query.end_timestamp },
    };
    const { tasks, total } = await this.queries.list(filter, query);
    const addresses = this.addresses();
    return toListReply(
      tasks.map((task) => toDrawing(task, userId === EVERYBODY, addresses)),
      total,
    );
  }

  private async creativeTasks(query: TaskListQuery, userId: number): Promise<RawReply> {
    if (query.platform !== '' && query.platform !== 'suno') return toListReply([], 0);
    const filter: TaskFilter = {
      ...{ userId, platform: 'suno', channelId: query.channel_id, upstreamId: query.task_id },
      ...{ status: query.status, action: query.action },
      ...{ from: query.start_timestamp * 1000, until: endOf(query.end_timestamp) },
    };
    const { tasks, total } = await this.queries.list(filter, query);
    return toListReply(
      tasks.map((task) => toCreativeTask(task, userId === EVERYBODY)),
      total,
    );
  }

  private addresses(): PictureAddresses {
    return {
      isForwarded: this.options.get('MjForwardUrlEnabled'),
      server: ownAddress(this.options, this.host),
      secrets: this.secrets,
      now: this.clock.now(),
    };
  }
}

/** The last millisecond of a second, which the bound includes; 0 for no bound. */
const endOf = (second: number): number => (second > 0 ? second * 1000 + 999 : 0);
