import type { CreativeTask, Drawing } from '@tollgate/contracts/api/task';
import { injectEndpoints } from './base-api.js';
import type { PageRequest, Rows } from './paged.js';
import { rowsOfArray } from './paged.js';

export interface TaskRequest extends PageRequest {
  /** Everybody's rows, or one's own. */
  all: boolean;
  /** The id that the upstream gave the task. */
  id: string;
  /** Only administrators may ask for one. */
  channel: string;
  /** Unix seconds; 0: open. */
  start: number;
  end: number;
  /** A later moment makes it a new question, though the times may be the same. */
  askedAt: number;
}

/** Pages count from 0 on the wire; what is empty filters nothing. */
const common = ({ page, size, all, channel }: TaskRequest) => ({
  p: page - 1,
  page_size: size,
  channel_id: (all && channel) || undefined,
});

export const taskApi = injectEndpoints({
  endpoints: (build) => ({
    /** The wire has milliseconds. */
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
