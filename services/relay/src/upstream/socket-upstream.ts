import { Injectable } from '@nestjs/common';
import {
  callBySocket,
  Host,
  OutboundClient,
  type SocketAnswer,
  type SocketListener,
  UpgradeRefused,
} from '@tollgate/chassis';
import type { UpstreamRequest } from '@tollgate/providers';
import { limitTotal, type Way } from './way.js';
import type { SendHooks } from './upstream.client.js';
import { UpstreamFailure, UpstreamResponse } from './upstream-response.js';

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

type SocketError = Error & { code?: string; syscall?: string };

const TIMEOUT = /timed? ?out|timeout/i;

/** A connection that was never made, to one address of the upstream or to all of them. */
function isUnconnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnconnected);
  return (error as SocketError).syscall === 'connect';
}

/** Why a web socket failed. `timeout` means that the upstream was reached, so it may have done something. */
export function socketFailure(error: SocketError): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  if (error.code === 'address-not-allowed') return new UpstreamFailure('refused', { cause: error });
  if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') return new UpstreamFailure('too-large', { cause: error });
  const isLate = TIMEOUT.test(`${error.code ?? ''} ${error.message}`) && !isUnconnected(error);
  return new UpstreamFailure(isLate ? 'timeout' : 'network', { cause: error });
}

/** An upstream that answers a WebSocket handshake with a successful status does not speak the protocol. */
export const statusOfRefused = ({ status }: UpgradeRefused): number => (status < 300 ? 502 : status);

/** A refused handshake is handled like any other reply. */
function refused(refusal: UpgradeRefused): UpstreamResponse {
  const nothing = { pause: () => undefined, resume: () => undefined, abort: () => undefined };
  const response = new UpstreamResponse(statusOfRefused(refusal), refusal.headers, nothing as never);
  response.onData(refusal.body);
  response.onEnd();
  return response;
}

type SocketRequest = UpstreamRequest & { socket: NonNullable<UpstreamRequest['socket']> };

export const bySocket = (request: UpstreamRequest): request is SocketRequest => request.socket !== undefined;

/** Calls upstreams that answer by WebSocket; their messages become the events of a stream. */
@Injectable()
export class SocketUpstream {
  private readonly timeoutMs: number;
  private readonly idleMs: number;

  constructor(
    private readonly outbound: OutboundClient,
    host: Host,
  ) {
    this.timeoutMs = host.env.TOLLGATE_UPSTREAM_TIMEOUT_SECONDS * 1000;
    this.idleMs = Math.max(this.timeoutMs, host.env.TOLLGATE_STREAM_IDLE_SECONDS * 1000);
  }

  /** Resolves at the first message. */
  send(request: SocketRequest, hooks: SendHooks, way: Way): Promise<UpstreamResponse> {
    const giving = new AbortController();
    const question = {
      ...{ url: request.url, headers: request.headers, proxy: way.proxy, signal: giving.signal },
      ...{ timeoutMs: Math.min(this.timeoutMs, way.firstByteMs), idleMs: Math.min(this.idleMs, way.idleMs) },
      ...{ message: request.body ?? Buffer.alloc(0), isLast: request.socket.isLast },
    };
    return new Promise((resolve, reject) => {
      const cancelLimit = limitTotal(way, () => {
        const late = new UpstreamFailure('timeout');
        giving.abort(late);
        reply.giveUp(late);
      });
      const reply = new SocketReply(resolve, reject, cancelLimit);
      hooks.abortable(() => {
        giving.abort(new UpstreamFailure('aborted'));
        reply.abort();
      });
      callBySocket(this.outbound, question, reply).then(
        (answer) => {
          if (reply.begin(answer)) hooks.sent();
        },
        (error: Error) => {
          if (!(error instanceof UpgradeRefused)) return reply.error(error);
          cancelLimit();
          resolve(refused(error));
        },
      );
    });
  }
}

/** Presents the messages as the body of one reply, which begins with the first message. */
class SocketReply implements SocketListener {
  private answer: SocketAnswer | undefined;
  private response: UpstreamResponse | undefined;
  private isAborted = false;

  constructor(
    private readonly resolve: (response: UpstreamResponse) => void,
    private readonly reject: (failure: UpstreamFailure) => void,
    private readonly ended: () => void,
  ) {}

  /** False when the call was aborted meanwhile. */
  begin(answer: SocketAnswer): boolean {
    this.answer = answer;
    if (this.isAborted) answer.abort();
    return !this.isAborted;
  }

  data(event: Buffer): void {
    if (!this.response) {
      const controller = {
        pause: () => this.answer?.pause(),
        resume: () => this.answer?.resume(),
        abort: () => this.answer?.abort(),
      };
      this.response = new UpstreamResponse(200, EVENT_STREAM, controller as never);
      this.resolve(this.response);
    }
    this.response.onData(event);
  }

  end(): void {
    this.ended();
    if (this.response) this.response.onEnd();
    else this.error(new Error('the connection was closed without an answer'));
  }

  error(error: Error): void {
    this.ended();
    if (this.response) this.response.onError(socketFailure(error));
    else this.reject(socketFailure(error));
  }

  /** Ends the connection; the reply fails for this reason. */
  giveUp(failure: UpstreamFailure): void {
    this.isAborted = true;
    this.answer?.abort();
    this.error(failure);
  }

  abort(): void {
    this.ended();
    this.isAborted = true;
    if (this.response) this.response.abort();
    else this.answer?.abort();
    this.reject(new UpstreamFailure('aborted'));
  }
}
