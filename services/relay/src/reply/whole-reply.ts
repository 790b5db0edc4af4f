import { Injectable } from '@nestjs/common';
import { Clock, endWhole } from '@tollgate/chassis';
import { type Reply, unreadableReply } from '@tollgate/providers';
import { UsageCounter } from '../settlement/usage-counter.js';
import { Abandonment } from '../settlement/abandonment.js';
import { type AttemptFailure, statedFailureOf, wordsFailureOf } from '../retry/attempt-failure.js';
import { wordsFault } from '../policy/checked-stream.js';
import { OpeningPings } from './opening-pings.js';
import { idHeaders } from '../call/id-headers.js';
import { Refusal } from '../call/refusal.js';
import { ChannelBreakers } from '../routing/channel-breakers.js';
import { WordChecks } from '../policy/word-checks.js';
import { keptHeaders } from '../upstream/kept-headers.js';
import { ReplyRoom } from '../upstream/reply-room.js';
import { Settlement } from '../settlement/settlement.js';
import { contextOf, routeOf, type Try } from '../upstream/try.js';
import type { WholeResponse } from '../upstream/steps.js';
import { type ReplyMemory, UpstreamFailure } from '../upstream/upstream.client.js';

/** The outcome of an answer that is charged but withheld, because it contains sensitive words. */
const WORDS_FOUND = {
  outcome: 'sensitive_words',
  error: { status: 400, code: wordsFault.code, type: wordsFault.type, message: wordsFault.message },
} as const;

const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/** Delivers an answer that comes in one piece to the client. */
@Injectable()
export class WholeReply {
  constructor(
    private readonly settlement: Settlement,
    private readonly usage: UsageCounter,
    private readonly abandonment: Abandonment,
    private readonly pings: OpeningPings,
    private readonly words: WordChecks,
    private readonly breakers: ChannelBreakers,
    private readonly clock: Clock,
    private readonly room: ReplyRoom,
  ) {}

  /** Throws `Refusal` 503 when too many bytes of replies are in memory. */
  async deliver(current: Try, response: WholeResponse): Promise<AttemptFailure | undefined> {
    const claim = this.room.claim(current.call);
    try {
      const body = await response.read(MAX_REPLY_BYTES, memoryOf(current, claim));
      return await this.answer(current, response, body);
    } finally {
      claim.release();
    }
  }

  /** The failure because of which the reply is not delivered, if any. */
  private failureIn(
    current: Try,
    reply: Reply,
    { status, headers }: Pick<WholeResponse, 'status' | 'headers'>,
  ): AttemptFailure | undefined {
    // A client that got the head of a stream (see `OpeningPings`) cannot be sent a JSON reply any more.
    const fault = reply.fault ?? (current.call.response.headersSent ? unreadableReply : undefined);
    return fault && statedFailureOf(current, status, fault, headers);
  }

  private async answer(current: Try, response: WholeResponse, body: Buffer): Promise<AttemptFailure | undefined> {
    const { call, granted, adapter } = current;
    const reply: Reply = adapter.fromReply(body, contextOf(current, this.clock.seconds(), response.headers));
    const failure = this.failureIn(current, reply, response);
    if (failure) return failure;
    this.breakers.succeeded(current.channel.id);
    this.pings.stop(call);
    const firstTokenMs = this.settlement.elapsed(call);
    const { usage: stated, isByLength } = reply;
    const answer = { stated, isByLength, received: body.length, text: () => reply.text() };
    const counted = await this.usage.count(current, answer);
    if (call.response.destroyed) {
      await this.abandonment.close(current, response.status, answer);
      return undefined;
    }
    const isKeptBack = this.words.ofReplies()?.finds(reply.text().text) === true;
    await this.settlement.close(call, granted, routeOf(current, 'ok', response.status), {
      ...counted,
      firstTokenMs,
      ...(isKeptBack ? WORDS_FOUND : { outcome: 'completed' }),
    });
    if (isKeptBack) return wordsFailureOf(current);
    if (call.response.destroyed) return undefined;
    const sentBody = reply.usage && !counted.usageDoubt ? reply.body : (reply.withUsage?.(counted.usage) ?? reply.body);
    call.response.writeHead(200, {
      ...idHeaders(call.requestId, call.dialect),
      ...keptHeaders(response.headers),
      'content-type': reply.contentType ?? 'application/json; charset=utf-8',
      'content-length': sentBody.length,
    });
    endWhole(call.response, sentBody);
    return undefined;
  }
}

/** Ends the reading of a reply whose client has left: as soon as it may not be read on, or as there is no memory. */
const memoryOf = ({ call, departure }: Try, memory: ReplyMemory): ReplyMemory => ({
  take: (bytes) => {
    if (!departure.takes(bytes)) throw new UpstreamFailure('aborted');
    try {
      memory.take(bytes);
    } catch (error) {
      // The client has left, so the request ends as aborted rather than refused.
      if (error instanceof Refusal && call.response.destroyed) throw new UpstreamFailure('aborted');
      throw error;
    }
  },
});
