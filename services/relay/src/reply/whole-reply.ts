import { Injectable } from '@nestjs/common';
import { Clock, endWhole } from '@tollgate/chassis';
import type { Usage } from '@tollgate/contracts';
import { fitsStream, type Reply, type ReplyContext, unreadableReply, wholeAsStream } from '@tollgate/providers';
import type { Counted } from '../settlement/counted.js';
import { UsageCounter } from '../settlement/usage-counter.js';
import { Abandonment } from '../settlement/abandonment.js';
import { type AttemptFailure, statedFailureOf, wordsFailureOf } from '../retry/attempt-failure.js';
import { wordsFault } from '../policy/checked-stream.js';
import { OpeningPings } from './opening-pings.js';
import { ENDPOINTS } from '../call/endpoints.js';
import { idHeaders } from '../call/id-headers.js';
import { endPieces } from '../call/pieces.js';
import { Refusal } from '../call/refusal.js';
import type { RelayCall } from '../call/relay-call.js';
import { ChannelBreakers } from '../routing/channel-breakers.js';
import { WordChecks } from '../policy/word-checks.js';
import { keptHeaders } from '../upstream/kept-headers.js';
import { ReplyRoom } from '../upstream/reply-room.js';
import { writeStreamHead } from './reply-headers.js';
import { Settlement } from '../settlement/settlement.js';
import { contextOf, routeOf, type Try } from '../upstream/try.js';
import type { WholeResponse } from '../upstream/steps.js';
import { type ReplyMemory, UpstreamFailure } from '../upstream/upstream-response.js';

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
    const cannotBeSent = isDueAsStream(current)
      ? !current.call.isJsonArray && !fitsStream(reply.body)
      : current.call.response.headersSent;
    const fault = reply.fault ?? (cannotBeSent ? unreadableReply : undefined);
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
    this.send(current, response, { ...reply, body: sentBodyOf(reply, counted) }, counted.usage);
    return undefined;
  }

  private send(current: Try, { headers }: WholeResponse, { body, contentType }: Reply, usage: Usage): void {
    const { call } = current;
    if (isDueAsStream(current)) {
      if (!call.response.headersSent) writeStreamHead(call, headers);
      const context = contextOf(current, this.clock.seconds(), headers);
      return endPieces(call.response, streamOf(call, body, context, usage));
    }
    call.response.writeHead(200, {
      ...idHeaders(call.requestId, call.dialect),
      ...keptHeaders(headers),
      'content-type': contentType ?? 'application/json; charset=utf-8',
      'content-length': body.length,
    });
    endWhole(call.response, body);
  }
}

const sentBodyOf = ({ body, usage, withUsage }: Reply, counted: Counted): Buffer =>
  usage && !counted.usageDoubt ? body : (withUsage?.(counted.usage) ?? body);

/**
 * Whether the client asked for a stream of text and can read nothing else. Streams of pictures and sound have no events
 * for a whole reply.
 */
const isDueAsStream = ({ call, adapter }: Try): boolean =>
  call.isStream && adapter.openStream !== undefined && !ENDPOINTS[call.endpoint].isTyped;

const streamOf = (call: RelayCall, body: Buffer, context: ReplyContext, usage: Usage): Buffer =>
  call.isJsonArray ? Buffer.from(`[${body.toString('utf8')}]\r\n`) : wholeAsStream(call.dialect, body, context, usage);

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
