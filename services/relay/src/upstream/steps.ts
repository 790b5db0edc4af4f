import { Injectable } from '@nestjs/common';
import { UpstreamTokens, Clock } from '@tollgate/chassis';
import { authorized, type FollowUp, type UpstreamRequest } from '@tollgate/providers';
import type { ClientWatch } from './client-watch.js';
import { ReplyRoom } from './reply-room.js';
import type { Try } from './try.js';
import { UpstreamClient } from './upstream.client.js';
import { UpstreamFailure, type UpstreamResponse } from './upstream-response.js';
import { toClientRequest, traced, withClientHeaders } from './upstream-request.js';
import { wayOf } from './way.js';

/** The parts of a reply that are needed to deliver it to the client. */
export type WholeResponse = Pick<UpstreamResponse, 'status' | 'headers' | 'contentType' | 'read'>;

const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/**
 * After this many requests, or milliseconds since the first of them was sent, an upstream that has not finished counts as timed out; after
 * less time if its channel has less.
 */
const MOST_STEPS = 200;
const MOST_MS = 10 * 60 * 1000;

/**
 * Handles upstreams that answer in several steps, such as polling for a result: sends the follow-up requests until
 * there is an answer.
 */
@Injectable()
export class Steps {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly room: ReplyRoom,
    private readonly clock: Clock,
    private readonly tokens: UpstreamTokens,
  ) {}

  /**
   * The last reply: the one with the answer, unread where it is known in advance to be the last, or the first
   * unsuccessful one. `sentMs` is when the first request was sent, by the monotonic clock.
   */
  follow(
    current: Try,
    first: UpstreamResponse,
    watch: ClientWatch,
    sentMs: number,
  ): Promise<UpstreamResponse | WholeResponse> | UpstreamResponse {
    const { adapter, request } = current;
    return adapter.followUp && !request.isFinal ? this.stepByStep(current, first, watch, sentMs) : first;
  }

  private async stepByStep(
    current: Try,
    first: UpstreamResponse,
    watch: ClientWatch,
    sentMs: number,
  ): Promise<UpstreamResponse | WholeResponse> {
    const { call, adapter, target } = current;
    const clientRequest = toClientRequest(call);
    const replies: Buffer[] = [];
    const claim = this.room.claim(call);
    try {
      for (let response = first; isSuccess(response);) {
        const body = await response.read(MAX_REPLY_BYTES, claim);
        replies.push(body);
        const next = adapter.followUp?.(replies, clientRequest, target);
        if (!next) return asRead(response, body);
        if ('answer' in next) return asRead(response, next.answer);
        if (replies.length >= MOST_STEPS) throw new UpstreamFailure('timeout');
        response = await this.send(current, next, watch, sentMs);
        if (!isSuccess(response) || next.request.isFinal) return response;
      }
      return first;
    } finally {
      claim.release();
    }
  }

  private async send(
    { call, provider, target }: Try,
    { request, afterMs }: NextRequest,
    watch: ClientWatch,
    sentMs: number,
  ) {
    const way = wayOf(target.setting);
    // Only the channel limits the time of the answer itself, as with an upstream that answers in one step.
    const deadline = sentMs + (request.isFinal ? way.totalMs : Math.min(MOST_MS, way.totalMs));
    const left = deadline - this.clock.monotonic();
    await pause(Math.min(afterMs, left), watch);
    if (afterMs >= left) throw new UpstreamFailure('timeout');
    const signed = await authorized(provider, request, target, this.tokens);
    // Other steps may go to another host than the provider's, such as a store of pictures.
    const sent = request.isFinal ? withClientHeaders(signed, target.setting, call.headers) : signed;
    return this.upstream.send(traced(sent), watch, { ...way, totalMs: deadline - this.clock.monotonic() });
  }
}

type NextRequest = Extract<FollowUp, { request: UpstreamRequest }>;

const isSuccess = ({ status }: UpstreamResponse): boolean => status >= 200 && status <= 299;

/** A reply whose body was already read, in the form in which replies are delivered. */
const asRead = ({ status, headers, contentType }: UpstreamResponse, body: Buffer): WholeResponse => ({
  status,
  headers,
  contentType,
  read: (_, memory) => {
    memory?.take(body.length);
    return Promise.resolve(body);
  },
});

/** Waits, and rejects at once when the client leaves. */
const pause = (ms: number, watch: ClientWatch): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    watch.abortable(() => {
      clearTimeout(timer);
      reject(new UpstreamFailure('aborted'));
    });
  });
