import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import type { RoutedChannel, TaskRecord, TokenRecord, UserRecord } from '@tollgate/contracts';
import type { Logger, OutboundClient } from '@tollgate/chassis';
import type { ModelRateLimit } from '../policy/model-rate-limit.js';
import type { RouteTable } from '../routing/route-table.js';
import type { TasksClient } from '../task/tasks.client.js';
import type { BodyIntake } from './body-intake.js';
import type { Entry } from './entry.js';
import type { HotRequest } from './hot-request.js';
import type { TaskAddresses } from './task-addresses.js';
import { TaskQueries } from './task-queries.js';

const away = new Error('the upstream is away');

const fake = <T>(members: Partial<T>): T => members as T;

/** Queries while no upstream can be reached. */
function scene() {
  const warn = jest.fn();
  const token = { id: 1, group: '' } as TokenRecord;
  const user = { id: 1, group: 'default' } as UserRecord;
  const task = { channelId: 5, upstreamId: 'task' } as TaskRecord;
  const picture = { url: 'http://drawer/picture', proxy: '', isOfChannel: true, isFinal: true };
  const channel = { id: 5, type: 2, status: 1, key: 'k', baseUrl: 'http://drawer', setting: {} } as RoutedChannel;
  const queries = new TaskQueries(
    fake<Entry>({ uncounted: () => Promise.resolve({ token, user, group: 'default' }) }),
    fake<BodyIntake>({}),
    fake<ModelRateLimit>({ counted: (_user, _group, work) => work(jest.fn()) }),
    fake<TasksClient>({ find: () => Promise.resolve([task]), picture: () => Promise.resolve(picture) }),
    fake<RouteTable>({ channel: () => channel }),
    fake<TaskAddresses>({ pictureTask: () => 9 }),
    fake<OutboundClient>({ send: () => Promise.reject(away) }),
    fake<Logger>({ warn }),
  );
  const raw = new IncomingMessage(new Socket());
  const response = new ServerResponse(raw);
  const request: HotRequest = { id: 'r-1', raw, response, path: '/mj/task/task', address: '127.0.0.1', named: 'task' };
  return { queries, request, response, warn };
}

describe('TaskQueries', () => {
  it('logs why the seed of a picture could not be fetched', async () => {
    const { queries, request, warn } = scene();
    await expect(queries.getImageSeed(request)).rejects.toMatchObject({
      message: expect.stringContaining('do_request_failed'),
    });
    expect(warn).toHaveBeenCalledWith(expect.any(String), { error: away, channelId: 5, requestId: 'r-1' });
  });

  it('logs why a picture could not be fetched', async () => {
    const { queries, request, response, warn } = scene();
    await queries.showPicture(request);
    expect(response.statusCode).toBe(500);
    expect(warn).toHaveBeenCalledWith(expect.any(String), { error: away, taskId: 9, requestId: 'r-1' });
  });
});
