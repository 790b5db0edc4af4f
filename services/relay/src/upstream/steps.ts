import { Injectable } from '@nestjs/common';
import { UpstreamTokens, Clock } from '@tollgate/chassis';
import { authorized, type FollowUp, type UpstreamRequest } from '@tollgate/providers';
import type { ClientWatch } from './client-watch.js';
import { ReplyRoom } from './reply-room.js';
import type { Try } from './try.js';
import { UpstreamClient, UpstreamFailure, type UpstreamResponse } from './upstream.client.js';
import { toClientRequest, traced } from './upstream-request.js';

/** A reply as far as it matters to whoever carries it to the client. */
export type WholeResponse = Pick<UpstreamResponse, 'status' | 'headers' | 'contentType' | 'read'>;

const MAX_REPLY_BYTES = 64 * 1024 * 1024;
/** Requests after which an upstream that is still not done counts as silent. */
const MOST_STEPS = 200;
const MOST_MS = 10 * 60 * 1000;

/** Upstreams that answer in steps: what they say is followed until they have answered. */
@Injectable()
export class Steps {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly room: ReplyRoom,
    private readonly clock: Clock,
    private readonly tokens: UpstreamTokens,
  ) {}

  /** The last reply: the one that has the answer, unread where it is known to be that, or the first that is no success. */
  follow(
    current: Try,
    first: UpstreamResponse,
    watch: ClientWatch,
  ): Promise<UpstreamResponse | WholeResponse> | UpstreamResponse {
    const { adapter, request } = current;
    return adapter.followUp && !request.isFinal ? this.stepByStep(current, first, watch) : first;
  }

  private async stepByStep(
    current: Try,
    first: UpstreamResponse,
    watch: ClientWatch,
  ): Promise<UpstreamResponse | WholeResponse> {
    const { call, adapter, target } = current;
    const deadline = this.clock.monotonic() + MOST_MS;
    const asked = toClientRequest(call);
    const replies: Buffer[] = [];
    const claim = this.room.claim(call);
    try {
      for (let response = first; isSuccess(response);) {
        const body = await response.read(MAX_REPLY_BYTES, claim);
        replies.push(body);
        const next = adapter.followUp?.(replies, asked, target);
        if (!next) return asRead(response, body);
        if ('answer' in next) return asRead(response, next.answer);
        if (replies.length >= MOST_STEPS || this.clock.monotonic() > deadline) throw new UpstreamFailure('timeout');
        response = await this.ask(current, next, watch);
        if (!isSuccess(response) || next.request.isFinal) return response;
      }
      return first;
    } finally {
      claim.release();
    }
  }

  private async ask({ provider, target }: Try, { request, afterMs }: NextRequest, watch: ClientWatch) {
    await pause(afterMs, watch);
    const { proxy } = target.setting;
    const signed = await authorized(provider, request, target, this.tokens);
    return this.upstream.send(traced(signed), watch, typeof proxy === 'string' ? proxy : '');
  }
}

type NextRequest = Extract<FollowUp, { request: UpstreamRequest }>;

const isSuccess = ({ status }: UpstreamResponse): boolean => status >= 200 && status <= 299;

/** A reply whose body was read already, for whoever carries replies to the client. */
const asRead = ({ status, headers, contentType }: UpstreamResponse, body: Buffer): WholeResponse => ({
  status,
  headers,
  contentType,
  read: (_, memory) => {
    memory?.take(body.length);
    return Promise.resolve(body);
  },
});

/** Waits, and ends at once when the client leaves. */
const pause = (ms: number, watch: ClientWatch): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    watch.abortable(() => {
      clearTimeout(timer);
      reject(new UpstreamFailure('aborted'));
    });
  });
