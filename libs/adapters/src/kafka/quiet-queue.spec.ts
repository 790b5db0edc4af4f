import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { quietIdleConnections, type RequestQueue } from './quiet-queue.js';

type Queue = RequestQueue & { push(request: object): void; fulfillRequest(answer: object): void };

const Queue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as new (
  options: object,
) => Queue;

const REQUEST_TIMEOUT_MS = 1000;
const logger = { namespace: () => logger, debug: () => undefined, warn: () => undefined };

/** Of a connection that has just been made. */
function queue({ maxInFlightRequests = 1, enforceRequestTimeout = true } = {}): Queue {
  const options = { maxInFlightRequests, requestTimeout: REQUEST_TIMEOUT_MS, enforceRequestTimeout };
  const made = new Queue({ ...options, clientId: 'c', broker: 'b', logger, isConnected: () => true });
  made.scheduleRequestTimeoutCheck();
  return made;
}

interface Fate {
  sent: number[];
  failed: number[];
}
const nothing = (): Fate => ({ sent: [], failed: [] });

function request(correlationId: number, { sent, failed }: Fate, requestTimeout?: number): object {
  const settled = { resolve: () => undefined, reject: () => failed.push(correlationId) };
  const entry = { ...settled, correlationId, apiKey: 0, apiName: 'n', apiVersion: 0 };
  return { entry, expectResponse: true, sendRequest: () => sent.push(correlationId), requestTimeout };
}
const answer = (correlationId: number): object => ({ correlationId, size: 0, payload: null });

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
    const fate = nothing();
    const busy = queue({ enforceRequestTimeout: false });
    busy.push(request(1, fate));
    busy.push(request(2, fate));
    expect([fate.sent, jest.getTimerCount()]).toEqual([[1], 1]);
    busy.fulfillRequest(answer(1));
    expect(fate.sent).toEqual([1, 2]);
    jest.advanceTimersByTime(100);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('wakes for a request without an answer when its time is over, and not before', () => {
    const fate = nothing();
    const wakes = jest.spyOn(globalThis, 'setTimeout');
    queue().push(request(1, fate));
    jest.advanceTimersByTime(REQUEST_TIMEOUT_MS);
    expect([fate.failed, wakes.mock.calls.length]).toEqual([[], 1]);
    jest.advanceTimersByTime(1);
    expect([fate.failed, jest.getTimerCount()]).toEqual([[1], 0]);
  });

  it('gives each request its own time, whichever was sent first', () => {
    const fate = nothing();
    const busy = queue({ maxInFlightRequests: 5 });
    busy.push(request(1, fate, 3 * REQUEST_TIMEOUT_MS));
    jest.advanceTimersByTime(500);
    busy.push(request(2, fate));
    jest.advanceTimersByTime(1001);
    expect(fate.failed).toEqual([2]);
    jest.advanceTimersByTime(1500);
    expect(fate.failed).toEqual([2, 1]);
  });

  it('gives a request that came behind an answered one no less than its time', () => {
    const fate = nothing();
    const busy = queue();
    busy.push(request(1, fate));
    jest.advanceTimersByTime(900);
    busy.fulfillRequest(answer(1));
    busy.push(request(2, fate));
    jest.advanceTimersByTime(1000);
    expect(fate.failed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect([fate.failed, jest.getTimerCount()]).toEqual([[2], 0]);
  });

  it('forgets the time of what ended with its connection, and has the next one again', () => {
    const fate = nothing();
    const cut = queue();
    cut.push(request(1, fate));
    cut.fulfillRequest(answer(1));
    cut.destroy();
    expect(jest.getTimerCount()).toBe(0);
    cut.scheduleRequestTimeoutCheck();
    cut.push(request(2, fate));
    jest.advanceTimersByTime(1001);
    expect(fate.failed).toEqual([2]);
  });
});
