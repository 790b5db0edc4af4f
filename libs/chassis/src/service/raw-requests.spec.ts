import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { RawRequests } from './raw-requests.js';

/** The status that an answer counts as whose line closes in this state. */
function countedAs(response: { headersSent: boolean; statusCode: number }): unknown {
  const counted: unknown[] = [];
  const requests = new RawRequests({
    host: { env: { LOG_REQUESTS: 'off', TOLLGATE_TRUSTED_PROXIES: '' }, secrets: {} } as never,
    logger: {} as never,
    metrics: {
      requests: { add: (_by: number, _method: string, _operation: string, status: string) => counted.push(status) },
      requestSeconds: { observe: () => undefined },
    } as never,
  });
  const raw = { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
  const answer = Object.assign(new EventEmitter(), response) as unknown as ServerResponse;
  requests.serve(raw, answer, { method: 'POST', path: '/x', operationId: 'x' } as never, () => undefined);
  answer.emit('close');
  return counted;
}

describe('a request that was answered ahead of the application', () => {
  it.each([
    ['its status', { headersSent: true, statusCode: 200 }, '200'],
    ['its refusal', { headersSent: true, statusCode: 429 }, '429'],
    ['a client that left, where that got nothing', { headersSent: false, statusCode: 200 }, '499'],
  ])('counts as %s', (_, response, status) => expect(countedAs(response)).toEqual([status]));
});
