import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import { UpstreamTokens, Clock, inSpan, isTracing, Logger, noteOnSpan } from '@tollgate/chassis';
import { asJsonArray, beginsEvents, classifyError, type ReplyStream, TextRoom } from '@tollgate/providers';
import { Abandonment } from '../settlement/abandonment.js';
import type { Granted } from '../admission/admission.js';
import { type AttemptFailure, networkFailureOf, statedFailureOf } from '../retry/attempt-failure.js';
import type { Round, Sender } from '../retry/retries.js';
import { CheckedStream } from '../policy/checked-stream.js';
import { ClientWatch } from '../upstream/client-watch.js';
import { secretsOfChannel } from '../upstream/channel-target.js';
import { Preparation } from './preparation.js';
import type { Refusal } from '../call/refusal.js';
import type { RelayCall } from '../call/relay-call.js';
import type { KeyedChannel } from '../routing/key-choice.js';
import { spanOfTry } from '../upstream/span-attributes.js';
import { Steps, type WholeResponse } from '../upstream/steps.js';
import { wayOf } from '../upstream/way.js';
import { bySocket, SocketUpstream } from '../upstream/socket-upstream.js';
import { StreamedReply } from '../reply/streamed-reply.js';
import { WordChecks } from '../policy/word-checks.js';
import { contextOf, type Try } from '../upstream/try.js';
import { UpstreamClient } from '../upstream/upstream.client.js';
import { UpstreamFailure, UpstreamResponse } from '../upstream/upstream-response.js';
import { traced, withClientHeaders } from '../upstream/upstream-request.js';
import { WholeReply } from '../reply/whole-reply.js';

const EVENT_STREAM = 'text/event-stream';
const MAX_ERROR_BYTES = 1024 * 1024;
/**
 * Most bytes of text that all running streams of the process together keep for counting tokens. Text beyond it is
 * estimated by its length.
 */
const KEPT_TEXT_BYTES = 128 * 1024 * 1024;

/** A call with what its admission granted. */
export interface CallRound extends Round {
  readonly call: RelayCall;
  readonly granted: Granted;
}

/**
 * Sends a request to one channel and, once the channel begins to answer successfully, delivers the answer to the
 * client.
 */
@Injectable()
export class Attempts implements Sender<CallRound, undefined, AttemptFailure> {
  private readonly room = new TextRoom(KEPT_TEXT_BYTES);

  constructor(
    private readonly preparation: Preparation,
    private readonly upstream: UpstreamClient,
    private readonly socketUpstream: SocketUpstream,
    private readonly steps: Steps,
    private readonly wholeReply: WholeReply,
    private readonly streamedReply: StreamedReply,
    private readonly abandonment: Abandonment,
    private readonly words: WordChecks,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly tokens: UpstreamTokens,
  ) {}

  /**
   * Returns the failure of the attempt; `undefined` when the client was answered or the end of the call is recorded.
   */
  send(
    { call, granted, attempts }: CallRound,
    channel: KeyedChannel,
  ): Promise<AttemptFailure | undefined> | AttemptFailure {
    const prepared = this.preparation.prepare(call, granted, channel, attempts);
    return prepared instanceof Promise
      ? prepared.then((ready) => this.sendPrepared(ready))
      : this.sendPrepared(prepared);
  }

  private sendPrepared(current: Try | AttemptFailure): Promise<AttemptFailure | undefined> | AttemptFailure {
    if ('fault' in current) return current;
    const exchange = isTracing() ? this.exchangeTraced(current) : this.exchange(current);
    return current.request.grant === undefined ? exchange : this.withoutRefusedGrant(exchange, current.request.grant);
  }

  /** Discards the upstream's access token when the upstream refused it. */
  private async withoutRefusedGrant(
    exchange: Promise<AttemptFailure | undefined>,
    { id, token }: NonNullable<Try['request']['grant']>,
  ): Promise<AttemptFailure | undefined> {
    const failure = await exchange;
    if (failure?.fault.class === 'credential') this.tokens.forget(id, token);
    return failure;
  }

  hasLeft({ call }: CallRound): boolean {
    return call.response.destroyed;
  }

  private exchangeTraced(current: Try): Promise<AttemptFailure | undefined> {
    const { name, attributes } = spanOfTry(current);
    return inSpan(name, { kind: SpanKind.CLIENT, attributes }, async () => {
      const failure = await this.exchange(current);
      noteOnSpan(failure ? { 'error.type': failure.fault.class } : {});
      return failure;
    });
  }

  private async exchange(current: Try): Promise<AttemptFailure | undefined> {
    const { call, departure } = current;
    let opened: Promise<void> | undefined;
    const watch: ClientWatch = new ClientWatch(call.response, () => {
      opened = this.abandonment.open(current);
      return departure.readOn(false, () => watch.abort());
    });
    try {
      const { setting } = current.target;
      const request = traced(withClientHeaders(current.request, setting, call.headers));
      const way = wayOf(setting);
      const sentMs = this.clock.monotonic();
      const response = bySocket(request)
        ? await this.socketUpstream.send(request, watch, way)
        : await this.upstream.send(request, watch, way);
      const followed = this.steps.follow(current, response, watch, sentMs);
      return await this.receive(current, followed instanceof Promise ? await followed : followed, watch);
    } catch (error) {
      // After any failure the upstream's reply is not read further.
      watch.abort();
      if (!(error instanceof UpstreamFailure)) throw error;
      if (call.form?.failure) return brokenForm(current, call.form.failure);
      if (error.reason !== 'aborted' || !watch.wasSent) return this.unanswered(current, error);
      await opened;
      await this.abandonment.close(current, 0);
      return undefined;
    } finally {
      watch.release();
      departure.end();
    }
  }

  private receive(
    current: Try,
    response: UpstreamResponse | WholeResponse,
    watch: ClientWatch,
  ): Promise<AttemptFailure | undefined> {
    if (response.status < 200 || response.status > 299) return refusedBy(current, response);
    if (!(response instanceof UpstreamResponse)) return this.wholeReply.deliver(current, response);
    const hasEvents = sendsEvents(current, response);
    return hasEvents instanceof Promise
      ? hasEvents.then((found) => this.deliver(current, response, watch, found))
      : this.deliver(current, response, watch, hasEvents);
  }

  private deliver(
    current: Try,
    response: UpstreamResponse,
    watch: ClientWatch,
    hasEvents: boolean,
  ): Promise<AttemptFailure | undefined> {
    const stream = this.streamOf(current, response, hasEvents);
    if (!stream) return this.wholeReply.deliver(current, response);
    watch.release();
    return this.streamedReply.deliver(current, response, stream);
  }

  /** The stream of a reply; `undefined` for a reply that is delivered as a whole. */
  private streamOf(current: Try, { contentType }: UpstreamResponse, hasEvents: boolean): ReplyStream | undefined {
    const { call, adapter } = current;
    const context = { ...contextOf(current, this.clock.seconds()), room: this.room };
    if (hasEvents && adapter.openStream) {
      const opened = adapter.openStream(context);
      const check = this.words.ofReplies();
      const checked = check ? new CheckedStream(opened, check) : opened;
      return call.isJsonArray ? asJsonArray(checked) : checked;
    }
    // Errors come as JSON, or as a page of a proxy, and are read as a whole. A client that waits for events cannot use plain bytes.
    return call.isStream || /json|html/.test(contentType) ? undefined : adapter.openBytes?.(context);
  }

  private unanswered(current: Try, failure: UpstreamFailure): AttemptFailure {
    if (failure.reason !== 'aborted') {
      this.logger.warn('upstream did not answer', {
        error: failure,
        channelId: current.channel.id,
        requestId: current.call.requestId,
      });
    }
    return networkFailureOf(current, failure);
  }
}

/**
 * Whether the reply is the stream that was asked for. Some servers send events under another type than theirs, or under
 * none.
 */
function sendsEvents({ call, adapter }: Try, response: UpstreamResponse): Promise<boolean> | boolean {
  if (!call.isStream || !adapter.openStream) return false;
  if (response.contentType.includes(adapter.streamType ?? EVENT_STREAM)) return true;
  return adapter.streamType === undefined && response.begins(beginsEvents);
}

async function refusedBy(current: Try, response: WholeResponse): Promise<AttemptFailure> {
  const { channel, provider } = current;
  const { status, headers } = response;
  const text = await readErrorBody(response);
  const fault = classifyError({
    status,
    body: provider.readError ? provider.readError(text, headers) : text,
    channelType: channel.type,
    secrets: secretsOfChannel(channel),
  });
  return statedFailureOf(current, status, fault, headers);
}

/** Returns `undefined` when the text cannot be read, or the client left; the status alone then classifies the error. */
async function readErrorBody(response: WholeResponse): Promise<string | undefined> {
  try {
    return (await response.read(MAX_ERROR_BYTES)).toString('utf8');
  } catch (error) {
    if (error instanceof UpstreamFailure) return undefined;
    throw error;
  }
}

/** The client's form was faulty, which is no fault of the channel: the client gets the refusal, unless it has left. */
function brokenForm(current: Try, refusal: Refusal): AttemptFailure {
  if (!current.call.response.destroyed) throw refusal;
  return networkFailureOf(current, new UpstreamFailure('aborted'));
}
