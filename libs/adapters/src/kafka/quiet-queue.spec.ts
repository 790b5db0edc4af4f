import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { quietIdleConnections, type RequestQueue } from './quiet-queue.js';

const Queue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as new (
  options: object,
) => RequestQueue & { push(request: object): void; fulfillRequest(answer: object): void };

const logger = { namespace: () => logger, debug: () => undefined, warn: () => undefined };

function queue(): InstanceType<typeof Queue> {
  const options = { maxInFlightRequests: 1, requestTimeout: 1000, enforceRequestTimeout: false };
  return new Queue({ ...options, clientId: 'c', broker: 'b', logger, isConnected: () => true });
}

function request(correlationId: number, sent: number[]): object {
  const settled = { resolve: () => undefined, reject: () => undefined };
  const entry = { ...settled, correlationId, apiKey: 0, apiName: 'n', apiVersion: 0 };
  return { entry, expectResponse: true, sendRequest: () => sent.push(correlationId) };
}

describe('quietIdleConnections', () => {
  beforeEach(() => {
    quietIdleConnections();
    jest.useFakeTimers();
  });
  afterEach(() => void jest.useRealTimers());

  it('sets no timer while no request waits', () => {
    const idle = queue();
    idle.checkPendingRequests();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('still sends what had to wait', () => {
    const sent: number[] = [];
    const busy = queue();
    busy.push(request(1, sent));
    busy.push(request(2, sent));
    expect([sent, jest.getTimerCount()]).toEqual([[1], 1]);
    busy.fulfillRequest({ correlationId: 1, size: 0, payload: null });
    expect(sent).toEqual([1, 2]);
    jest.advanceTimersByTime(100);
    expect(jest.getTimerCount()).toBe(0);
  });
});
