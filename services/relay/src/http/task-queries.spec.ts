import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { type HotRequest } from './hot-request.js';
import { TaskQueries } from './task-queries.js';

const away = new Error('the upstream is away');

/** Queries while no upstream can be reached. */
function scene() {
  const warn = jest.fn();
  const parts = {
    gatekeeper: {
      admit: () => Promise.resolve({ token: { id: 1, group: '' }, user: { id: 1, group: 'default' } }),
      checkAddress: () => undefined,
      groupOf: () => undefined,
    },
    rateLimit: {
      counted: (_user: number, _group: string, work: (succeeded: () => void) => Promise<void>) => work(jest.fn()),
    },
    tasks: {
      find: () => Promise.resolve([{ channelId: 5, upstreamId: 'task' }]),
      picture: () => Promise.resolve({ url: 'http://drawer/picture', isOfChannel: true, isFinal: true }),
    },
    routeTable: { channel: () => ({ id: 5, type: 2, status: 1, key: 'k', baseUrl: 'http://drawer', setting: {} }) },
    addresses: { pictureTask: () => 9 },
    outbound: { send: () => Promise.reject(away) },
  };
  const { gatekeeper, rateLimit, tasks, routeTable, addresses, outbound } = parts;
  const queries = Reflect.construct(TaskQueries, [
    ...[gatekeeper, undefined, rateLimit, tasks, routeTable, addresses, outbound],
    { warn },
  ]) as TaskQueries;
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
