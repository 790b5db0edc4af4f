import type { CreativeTask, Drawing } from '@tollgate/contracts/api/task';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfArray } from './paged.js';

export interface TaskRequest extends PageRequest {
  /** All users' rows instead of the caller's own. */
  all: boolean;
  /** The upstream's id of the task. */
  id: string;
  /** Id of a channel; only administrators may filter by it. */
  channel: string;
  /** Unix seconds; 0: unlimited. */
  start: number;
  end: number;
  /** Part of the cache key: another moment causes a new fetch even if the times are the same. */
  askedAt: number;
}

/** Pages of this API count from 0; an empty filter is left out. */
const common = ({ page, size, all, channel }: TaskRequest) => ({
  p: page - 1,
  page_size: size,
  channel_id: (all && channel) || undefined,
});

export const taskApi = injectEndpoints({
  endpoints: (build) => ({
    /** The API has times in milliseconds. */
    listDrawings: build.query<Rows<Drawing>, TaskRequest>({
      query: ({ all, ...request }) => ({
        url: all ? 'api/mj/' : 'api/mj/self/',
        params: {
          ...common({ all, ...request }),
          mj_id: request.id || undefined,
          start_timestamp: request.start * 1000 || undefined,
          end_timestamp: request.end * 1000 || undefined,
        },
      }),
      transformResponse: rowsOfArray<Drawing>,
      extraOptions: { quiet: true },
      providesTags: ['Usage'],
    }),
    listTasks: build.query<Rows<CreativeTask>, TaskRequest>({
      query: ({ all, ...request }) => ({
        url: all ? 'api/task/' : 'api/task/self',
        params: {
          ...common({ all, ...request }),
          task_id: request.id || undefined,
          start_timestamp: request.start || undefined,
          end_timestamp: request.end || undefined,
        },
      }),
      transformResponse: rowsOfArray<CreativeTask>,
      extraOptions: { quiet: true },
      providesTags: ['Usage'],
    }),
  }),
});

export const { useListDrawingsQuery, useListTasksQuery } = taskApi;
