import { createRequire } from 'node:module';

/** A request on its way. */
interface SentRequest {
  readonly sentAt: number;
  readonly requestTimeout: number;
  timeoutRequest(): void;
}

/** A connection's requests, as kafkajs 2.2.4 keeps them. */
export interface RequestQueue {
  /** Those that wait because too many are on their way, or because the broker wants a pause. */
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
 * kafkajs looks for waiting requests after every answer, and from then on every millisecond for ever, on each connection: it takes the
 * moment of a pause that never was for a time to come. And it looks ten times a second whether a request has waited too long. That cost an
 * idle process several percent of a core. Nothing needs to be looked for while nothing waits: whatever begins to wait sets the timer itself.
 */
export function quietIdleConnections(): void {
  if (isQuiet) return;
  isQuiet = true;
  prototype.scheduleCheckPendingRequests = function scheduleIfNeeded(this: RequestQueue): void {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
  };
  prototype.scheduleRequestTimeoutCheck = function checkWhenDue(this: RequestQueue): void {
    forget(this);
    for (const { sentAt, requestTimeout } of this.inflight.values()) lookAt(this, sentAt + requestTimeout);
  };
  prototype.sendSocketRequest = function sendWithDeadline(this: RequestQueue, request): void {
    sendSocketRequest.call(this, request);
    lookAt(this, Date.now() + request.requestTimeout);
  };
  prototype.destroy = function destroyWithDeadline(this: RequestQueue): void {
    forget(this);
    destroy.call(this);
  };
}

/** By connection, when its requests are looked at next. */
const looks = new WeakMap<RequestQueue, { due: number; timer: NodeJS.Timeout }>();

/** The timer of a request that was answered stays for the next one, which then need not set any. */
function lookAt(queue: RequestQueue, due: number): void {
  if (!queue.enforceRequestTimeout || due >= (looks.get(queue)?.due ?? Infinity)) return;
  forget(queue);
  // A request is late when more than its time is over.
  const timer = setTimeout(() => look(queue), Math.max(0, due - Date.now()) + 1);
  looks.set(queue, { due, timer });
}

function look(queue: RequestQueue): void {
  looks.delete(queue);
  const now = Date.now();
  for (const request of [...queue.inflight.values()])
    if (now - request.sentAt > request.requestTimeout) request.timeoutRequest();
  for (const { sentAt, requestTimeout } of queue.inflight.values()) lookAt(queue, sentAt + requestTimeout);
}

function forget(queue: RequestQueue): void {
  clearTimeout(looks.get(queue)?.timer);
  looks.delete(queue);
}
