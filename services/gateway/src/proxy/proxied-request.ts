import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { leaveUnread, letBodyCome, neverConnected, type Replica } from '@tollgate/chassis';
import type { Dispatcher } from 'undici';
import { hasBody } from '../browser/json-bodies.js';
import { INTERNAL_HEADERS, passHeaders } from './pass-headers.js';

export interface ProxiedRequestParts {
  request: IncomingMessage;
  response: ServerResponse;
  headers: OutgoingHttpHeaders;
  /** Replicas in the order to be tried. */
  replicas: Replica[];
  /** Milliseconds: to the first byte of the answer, and between two of its bytes. */
  timeouts: { headers: number; body: number };
  /** The head of the answer came, which goes on after this. */
  onAnswered(headers: IncomingHttpHeaders): void;
  onUnreachable(replica: Replica, error: unknown): void;
  /** Nothing was answered and nobody is left to ask. */
  onFailure(error: unknown): void;
  /** The answer ended before its end. */
  onCut(error: unknown): void;
}

/** A short answer leaves in one piece, which spares packets and lets the edge compress it. */
const MAX_HELD_BYTES = 256 * 1024;

/**
 * One request on its way to another process and its answer on the way back, piece by piece: nothing long is ever held
 * whole, a slow side slows the other one, and a client that leaves ends the owner's work. Another replica is asked only while
 * nothing of the request has left this process.
 */
export class ProxiedRequest implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private replica: Replica | undefined;
  private answered = false;
  /** Pieces of a short answer; undefined when the answer goes out as it comes. */
  private held: Buffer[] | undefined;
  private left = false;

  constructor(private readonly parts: ProxiedRequestParts) {}

  begin(): void {
    const { response } = this.parts;
    response.once('close', () => {
      if (response.writableFinished) return;
      this.left = true;
      this.controller?.abort(new Error('the client left'));
    });
    this.next(new Error('no replica is known'));
  }

  private next(failure: unknown): void {
    const { request, response, headers, replicas, timeouts, onFailure } = this.parts;
    this.replica = replicas.shift();
    if (!this.replica) return onFailure(failure);
    this.replica.pool.dispatch(
      {
        path: request.url ?? '/',
        method: (request.method ?? 'GET') as Dispatcher.HttpMethod,
        headers: headers as IncomingHttpHeaders,
        body: hasBody(request.headers)
          ? (piecesOf(request, response) as unknown as Dispatcher.DispatchOptions['body'])
          : null,
        headersTimeout: timeouts.headers,
        bodyTimeout: timeouts.body,
      },
      this,
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.left) controller.abort(new Error('the client left'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return;
    this.answered = true;
    const { request, response, onAnswered } = this.parts;
    onAnswered(headers);
    leaveUnread(request, response);
    response.writeHead(statusCode, passHeaders(headers, INTERNAL_HEADERS));
    const length = headers['content-length'];
    if (length !== undefined && Number(length) <= MAX_HELD_BYTES) this.held = [];
    // A stream's head must not wait for its first event.
    if (length === undefined) response.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { response } = this.parts;
    if (this.held) return void this.held.push(chunk);
    if (response.write(chunk)) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    const { response } = this.parts;
    if (this.held && this.held.length > 0) response.end(Buffer.concat(this.held));
    else response.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { response, onUnreachable, onFailure, onCut } = this.parts;
    if (this.left) return;
    if (this.answered) {
      onCut(error);
      response.destroy();
    } else if (this.replica && neverConnected(error)) {
      onUnreachable(this.replica, error);
      this.next(error);
    } else onFailure(error);
  }
}

/** Not the request itself: undici destroys a stream it could not send, and with it the client's connection. */
async function* piecesOf(request: IncomingMessage, response: ServerResponse): AsyncGenerator<Buffer> {
  letBodyCome(request, response);
  for await (const piece of request.iterator({ destroyOnReturn: false })) yield piece as Buffer;
}
