import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { leaveUnread, letBodyCome, neverConnected, type Replica } from '@tollgate/chassis';
import type { Dispatcher } from 'undici';
import { hasBody } from '../browser/json-bodies.js';
import { INTERNAL_HEADERS, passHeaders } from './pass-headers.js';

export interface ProxiedRequestParts {
  request: IncomingMessage;
  response: ServerResponse;
  headers: OutgoingHttpHeaders;
  /** In the order in which they are tried. */
  replicas: Replica[];
  /** In milliseconds: until the first byte of the reply, and between two of its bytes. */
  timeouts: { headers: number; body: number };
  /** Called when the head of the reply has arrived, before it is sent to the client. */
  onAnswered(headers: IncomingHttpHeaders): void;
  onUnreachable(replica: Replica, error: unknown): void;
  /** No reply has arrived, and no replica is left to try. */
  onFailure(error: unknown): void;
  /** The reply was cut off before its end. */
  onCut(error: unknown): void;
}

/** Replies up to this size are sent in one piece, which saves packets and lets the edge compress them. */
const MAX_HELD_BYTES = 256 * 1024;

/**
 * A request on its way to another process and the reply on its way back. Long bodies are streamed, never held as a
 * whole; back-pressure applies in both directions, and the owner's work is aborted when the client leaves. Another
 * replica is tried only while nothing of the request has left this process.
 */
export class ProxiedRequest implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private replica: Replica | undefined;
  private answered = false;
  /** Chunks of a short reply; `undefined` when the reply is streamed. */
  private held: Buffer[] | undefined;
  private left = false;

  constructor(private readonly parts: ProxiedRequestParts) {}

  begin(): void {
    const { response } = this.parts;
    // The client has left during authentication; there will be no `close` event.
    if (response.destroyed) return;
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
    // The head of a stream must not wait for its first event.
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

/**
 * The request itself cannot be the body: undici destroys a body stream that it could not send, and with it the client's
 * connection.
 */
async function* piecesOf(request: IncomingMessage, response: ServerResponse): AsyncGenerator<Buffer> {
  letBodyCome(request, response);
  for await (const piece of request.iterator({ destroyOnReturn: false })) yield piece as Buffer;
}
