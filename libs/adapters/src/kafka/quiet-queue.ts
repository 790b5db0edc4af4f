import { createRequire } from 'node:module';

/** A request whose answer has not arrived yet. */
interface SentRequest {
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** A connection's requests, as kafkajs 2.2.4 keeps them. */
export interface RequestQueue {
  /** Requests that wait because too many are in flight, or because the broker throttles the client. */
  readonly pending: unknown[];
  readonly inflight: ReadonlyMap<number, SentRequest>;
  readonly enforceRequestTimeout: boolean;
  /** Called for each new connection. */
  scheduleRequestTimeoutCheck(): void;
  sendSocketRequest(request: { readonly requestTimeout: number }): void;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
  /** Called when the connection has ended. */
  destroy(): void;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as {
  prototype: RequestQueue;
};
const { sendSocketRequest, scheduleCheckPendingRequests, destroy } = prototype;
let isQuiet = false;

/**
 * Stops two busy timers of kafkajs. After every answer, on each connection, kafkajs checks for pending requests every millisecond forever,
 * because it mistakes the end of a pause that never happened for a time in the future; and it checks ten times a second whether a request
 * timed out. This cost an idle process several percent of a core. While nothing is pending no check is needed: whatever becomes pending
 * starts the timer itself, and a request that is sent starts a timer for its own deadline.
 */
export function quietIdleConnections(): void {
  if (isQuiet) return;
  isQuiet = true;
  prototype.scheduleCheckPendingRequests = function scheduleIfNeeded(this: RequestQueue): void {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  };
  prototype.scheduleRequestTimeoutCheck = function checkWhenDue(this: RequestQueue): void {
    forget(this);
    for (const { sentAt, requestTimeout } of this.inflight.values()) checkAt(this, sentAt + requestTimeout);
  };
  prototype.sendSocketRequest = function sendWithDeadline(this: RequestQueue, request): void {
    sendSocketRequest.call(this, request);
    checkAt(this, Date.now() + request.requestTimeout);
  };
  prototype.destroy = function destroyWithDeadline(this: RequestQueue): void {
    forget(this);
    destroy.call(this);
  };
}

/** For each connection, when its requests are next checked for time-outs. */
const checks = new WeakMap<RequestQueue, { due: number; timer: NodeJS.Timeout }>();

/** Keeps the timer of an answered request: the next request reuses it, because it is due earlier than its own deadline. */
function checkAt(queue: RequestQueue, due: number): void {
  if (!queue.enforceRequestTimeout || due >= (checks.get(queue)?.due ?? Infinity)) return;
  forget(queue);
  // kafkajs times a request out when more than its time-out has passed, hence the additional millisecond.
  const timer = setTimeout(() => check(queue), Math.max(0, due - Date.now()) + 1);
  checks.set(queue, { due, timer });
}

function check(queue: RequestQueue): void {
  checks.delete(queue);
  const now = Date.now();
  for (const request of [...queue.inflight.values()])
    if (now - request.sentAt > request.requestTimeout) request.timeoutRequest();
  for (const { sentAt, requestTimeout } of queue.inflight.values()) checkAt(queue, sentAt + requestTimeout);
}

function forget(queue: RequestQueue): void {
  clearTimeout(checks.get(queue)?.timer);
  checks.delete(queue);
}
