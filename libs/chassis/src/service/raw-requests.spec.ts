import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { RawRequests } from './raw-requests.js';

/** The status under which an answer is counted when its connection closes in this state. */
function countedAs(response: { headersSent: boolean; statusCode: number }): unknown {
  const counted: unknown[] = [];
  const requests = new RawRequests({
    host: { env: { LOG_REQUESTS: 'off', TOLLGATE_TRUSTED_PROXIES: '' }, secrets: {} } as never,
    logger: {} as never,
    metrics: {
      requests: { add: (_by: number, _method: string, _operation: string, status: string) => counted.push(status) },
      requestSeconds: { add: () => undefined },
    } as never,
  });
  const raw = { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
  const answer = Object.assign(new EventEmitter(), response) as unknown as ServerResponse;
  requests.serve(
    { raw, response: answer, row: { method: 'POST', path: '/x', operationId: 'x' } as never },
    () => undefined,
  );
  answer.emit('close');
  return counted;
}

/** The services that count a request which the first forwards to the other. */
function countedAt(first: string, other: string): string[] {
  const counted: string[] = [];
  const of = (service: string): RawRequests =>
    new RawRequests({
      host: { env: { LOG_REQUESTS: 'off', TOLLGATE_TRUSTED_PROXIES: '' }, secrets: {} } as never,
      logger: {} as never,
      metrics: { requests: { add: () => counted.push(service) }, requestSeconds: { add: () => undefined } } as never,
    });
  const raw = { headers: {}, socket: { remoteAddress: '127.0.0.1' } } as IncomingMessage;
  const response = Object.assign(new EventEmitter(), { headersSent: true, statusCode: 200 }) as never as ServerResponse;
  const row = { method: 'POST', path: '/x', operationId: 'x' } as never;
  of(first).serve({ raw, response, row, also: of(other) }, () => undefined);
  response.emit('close');
  response.emit('close');
  return counted;
}

describe('a request that was answered ahead of the application', () => {
  it.each([
    ['its status', { headersSent: true, statusCode: 200 }, '200'],
    ['its refusal', { headersSent: true, statusCode: 429 }, '429'],
    ['a client that left, where that got nothing', { headersSent: false, statusCode: 200 }, '499'],
  ])('counts as %s', (_, response, status) => expect(countedAs(response)).toEqual([status]));

  it('is also counted for the service of the same process that does the work', () => {
    const counted = countedAt('gateway', 'relay');
    expect(counted).toEqual(['gateway', 'relay']);
  });
});
