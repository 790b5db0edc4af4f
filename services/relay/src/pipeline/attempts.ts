import { Injectable } from '@nestjs/common';
import { SpanKind } from '@opentelemetry/api';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { Clock, inSpan, isTracing, Logger, noteOnSpan, OptionStore } from '@tollgate/platform';
import {
  blamesAccount,
  type ChannelTarget,
  classifyError,
  dialectSettings,
  findProvider,
  type Reply,
  type ReplyContext,
  type ReplyStream,
  RequestRejected,
  type TextAdapter,
  type UpstreamFault,
  type UpstreamRequest,
} from '@tollgate/providers';
import { roughTokens } from '../usage/token-counter.js';
import { promptText } from '../usage/prompt-text.js';
import type { Granted } from './admission.js';
import { secretsOfChannel, targetOf } from './channel-target.js';
import type { Course } from './outcome.js';
import type { RelayCall } from './relay-call.js';
import { toClientRequest, traced } from './upstream-request.js';
import { keptHeaders, retryAfterOf } from './reply-headers.js';
import { Settlement } from './settlement.js';
import { type Delivered, StreamDelivery } from './stream-delivery.js';
import { UpstreamClient, UpstreamFailure, type UpstreamResponse } from './upstream.client.js';

const MAX_REPLY_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 1024 * 1024;

/** One channel's try that gave the client nothing. */
export interface AttemptFailure {
  attempt: Attempt;
  fault: UpstreamFault;
  /** The client left; nobody is there to answer. */
  aborted: boolean;
  /** Set when the request never went out: the fault is not the upstream's, and no other channel is asked. */
  localStatus?: number;
  retryAfter?: number;
}

/** One try in progress. */
interface Try {
  call: RelayCall;
  granted: Granted;
  channel: RoutedChannel;
  target: ChannelTarget;
  request: UpstreamRequest;
  adapter: Pick<TextAdapter, 'fromReply'> & Partial<Pick<TextAdapter, 'openStream'>>;
  earlier: readonly Attempt[];
  startedMono: number;
}

/** Sends a request to one channel and, once it begins to answer well, carries the answer to the client. */
@Injectable()
export class Attempts {
  constructor(
    private readonly upstream: UpstreamClient,
    private readonly settlement: Settlement,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Undefined when the client was answered or the end is recorded. */
  async run(
    call: RelayCall,
    granted: Granted,
    channel: RoutedChannel,
    earlier: readonly Attempt[],
  ): Promise<AttemptFailure | undefined> {
    const adapter = findProvider(channel.type)?.[call.endpoint];
    if (!adapter) throw new Error(`channel type ${channel.type} has no ${call.endpoint}`);
    const startedMono = this.clock.monotonic();
    let current: Try;
    try {
      const target = targetOf(channel, call.model, dialectSettings(this.options, true));
      const adapted = adapter.toUpstream(toClientRequest(call), target);
      const request = this.passesThrough(call) ? { ...adapted, body: call.bytes } : adapted;
      current = { call, granted, channel, target, request, adapter, earlier, startedMono };
    } catch (error) {
      if (error instanceof RequestRejected) return rejection(channel, error);
      throw error;
    }
    return isTracing() ? this.sendTraced(current) : this.send(current);
  }

  private sendTraced(current: Try): Promise<AttemptFailure | undefined> {
    const { call, channel, target, request } = current;
    const attributes = {
      'server.address': URL.parse(request.url)?.hostname ?? '',
      'gen_ai.request.model': target.model,
      'tollgate.channel_id': channel.id,
      'tollgate.user_id': call.user.id,
    };
    return inSpan('call upstream', { kind: SpanKind.CLIENT, attributes }, async () => {
      const failure = await this.send(current);
      noteOnSpan(failure ? { 'error.type': failure.fault.class } : {});
      return failure;
    });
  }

  /** Address and key are the channel's, the body is the client's to the last byte. Messages are never sent so. */
  private passesThrough({ endpoint }: RelayCall): boolean {
    const isOpenAiText = endpoint === 'chat' || endpoint === 'completions';
    return isOpenAiText && this.options.get('global.pass_through_request_enabled');
  }

  private async send(current: Try): Promise<AttemptFailure | undefined> {
    const { call } = current;
    const request = traced(current.request);
    let abort: () => void = () => undefined;
    const onClose = (): void => {
      if (!call.response.writableEnded) abort();
    };
    call.response.once('close', onClose);
    try {
      const onAbortable = (stop: () => void): void => {
        abort = stop;
        if (call.response.destroyed) stop();
      };
      const { proxy } = current.target.setting;
      const response = await this.upstream.send(request, onAbortable, typeof proxy === 'string' ? proxy : '');
      return await this.receive(current, response);
    } catch (error) {
      // Whatever went wrong, nobody reads on.
      abort();
      if (error instanceof UpstreamFailure) return this.networkFailure(current, error);
      throw error;
    } finally {
      call.response.off('close', onClose);
    }
  }

  private async receive(current: Try, response: UpstreamResponse): Promise<AttemptFailure | undefined> {
    const { channel, call } = current;
    if (response.status < 200 || response.status > 299) {
      const body = await readErrorBody(response);
      const fault = classifyError({
        status: response.status,
        body,
        channelType: channel.type,
        secrets: secretsOfChannel(channel),
      });
      return this.told(current, response.status, fault, retryAfterOf(response.headers));
    }
    const isEventStream = response.contentType.includes('text/event-stream');
    if (call.isStream && isEventStream && current.adapter.openStream)
      return this.stream(current, response, current.adapter.openStream(this.context(current)));
    return this.reply(current, response);
  }

  private async reply(current: Try, response: UpstreamResponse): Promise<AttemptFailure | undefined> {
    const { call, granted, adapter } = current;
    const body = await response.read(MAX_REPLY_BYTES);
    const reply: Reply = adapter.fromReply(body, this.context(current));
    if (reply.fault) return this.told(current, response.status, reply.fault);
    const firstTokenMs = this.settlement.elapsed(call);
    const counted = await this.settlement.count(call, granted.terms.price, reply.usage, () => reply.text());
    if (call.response.destroyed) throw new UpstreamFailure('aborted');
    await this.settlement.close(call, granted, this.course(current, 'ok', response.status), {
      ...counted,
      outcome: 'completed',
      firstTokenMs,
    });
    if (call.response.destroyed) return undefined;
    call.response.writeHead(200, {
      ...keptHeaders(response.headers),
      'content-type': 'application/json; charset=utf-8',
      'content-length': reply.body.length,
      'x-oneapi-request-id': call.requestId,
    });
    call.response.end(reply.body);
    return undefined;
  }

  private async stream(
    current: Try,
    response: UpstreamResponse,
    stream: ReplyStream,
  ): Promise<AttemptFailure | undefined> {
    const { call, granted } = current;
    let firstTokenMs: number | undefined;
    const course = this.course(current, 'ok', response.status);
    const pingMs = this.options.get('general_setting.ping_interval_enabled')
      ? this.options.get('general_setting.ping_interval_seconds') * 1000
      : undefined;
    const delivery = new StreamDelivery(response, stream, call.response, {
      beforeFirst: (live) => {
        firstTokenMs = this.settlement.elapsed(call);
        return this.settlement.open(call, granted, course, this.settlement.sketch(call, granted.terms.price, live));
      },
      progress: (live) => {
        this.settlement
          .progress(call, granted, course, { ...this.settlement.sketch(call, granted.terms.price, live), firstTokenMs })
          .catch((error: unknown) => {
            this.logger.warn('progress of a stream could not be recorded', { error, requestId: call.requestId });
          });
      },
      head: () => writeStreamHead(call, response.headers),
      ...(pingMs !== undefined && { pingMs }),
    });
    const delivered = await delivery.run();
    if (delivered.started && delivered.failure !== undefined) {
      this.logger.warn('a stream broke', {
        error: delivered.failure,
        channelId: current.channel.id,
        requestId: call.requestId,
      });
    }
    if (!delivered.started && delivered.end !== 'completed') return this.emptyStream(current, stream, delivered);
    await this.endStream(current, stream, { delivered, course, firstTokenMs, headers: response.headers });
    return undefined;
  }

  /** The record first, then the last bytes. */
  private async endStream(
    current: Try,
    stream: ReplyStream,
    {
      delivered,
      course,
      firstTokenMs,
      headers,
    }: { delivered: Delivered; course: Course; firstTokenMs: number | undefined; headers: UpstreamResponse['headers'] },
  ): Promise<void> {
    const { call, granted } = current;
    const { end } = delivered;
    const fault = stream.fault ?? cutFault;
    const prompt = stream.usage() ? undefined : stream.promptUsage();
    const counted = await this.settlement.count(call, granted.terms.price, stream.usage(), () => stream.text());
    if (prompt) counted.usage = { ...prompt, outputTokens: counted.usage.outputTokens };
    const error =
      end === 'upstream_cut' ? { status: 200, code: fault.code, type: fault.type, message: fault.message } : undefined;
    await this.settlement[delivered.started ? 'closeDelivered' : 'close'](call, granted, course, {
      ...counted,
      outcome: end,
      ...(firstTokenMs !== undefined && { firstTokenMs }),
      ...(error && { error }),
    });
    if (call.response.destroyed) return;
    if (!call.response.headersSent) writeStreamHead(call, headers);
    call.response.end(
      end === 'completed' ? stream.lastFrames(counted.usage) : stream.errorFrames(fault, call.requestId),
    );
  }

  private emptyStream(current: Try, stream: ReplyStream, { end, failure }: Delivered): AttemptFailure {
    if (stream.fault) return this.told(current, 200, stream.fault);
    if (end === 'client_abort') return this.networkFailure(current, new UpstreamFailure('aborted'));
    return this.networkFailure(
      current,
      failure instanceof UpstreamFailure ? failure : new UpstreamFailure('network', { cause: failure }),
    );
  }

  private networkFailure(current: Try, failure: UpstreamFailure): AttemptFailure {
    const isTimeout = failure.reason === 'timeout';
    if (failure.reason === 'aborted') return this.departure(current);
    this.logger.warn('upstream did not answer', {
      error: failure,
      channelId: current.channel.id,
      requestId: current.call.requestId,
    });
    const fault: UpstreamFault = {
      class: isTimeout ? 'timeout' : 'network',
      message: isTimeout ? '请求上游超时' : '请求上游地址失败',
      type: 'upstream_error',
      code: 'do_request_failed',
    };
    return this.failure(current, isTimeout ? 504 : 0, fault);
  }

  /** The client left before it got anything: nothing to hold against the channel. */
  private departure(current: Try): AttemptFailure {
    const fault = { class: 'ok', message: '客户端已断开', type: 'client_error', code: 'client_closed' } as const;
    return { ...this.failure(current, 0, fault), aborted: true };
  }

  /** A failure in the upstream's own words, which may say that its account is of no use any more. */
  private told(current: Try, status: number, fault: UpstreamFault, retryAfter?: number): AttemptFailure {
    const words = this.options.get('AutomaticDisableKeywords');
    const isAccount = blamesAccount(fault.message, words, () => JSON.stringify(current.call.json));
    const told: UpstreamFault = isAccount ? { ...fault, class: 'credential' } : fault;
    return this.failure(current, status, told, retryAfter);
  }

  private failure(current: Try, status: number, fault: UpstreamFault, retryAfter?: number): AttemptFailure {
    const { channel } = current;
    const attempt: Attempt = {
      channelId: channel.id,
      channelType: channel.type,
      class: fault.class,
      status,
      ...(fault.code && { errorCode: fault.code }),
      ...(fault.type && { errorType: fault.type }),
      message: fault.message.slice(0, 1000),
      durationMs: this.durationOf(current),
    };
    return { attempt, fault, aborted: false, ...(retryAfter !== undefined && { retryAfter }) };
  }

  private course(current: Try, attemptClass: Attempt['class'], status: number): Course {
    const { channel, target, request, earlier } = current;
    const attempt: Attempt = {
      channelId: channel.id,
      channelType: channel.type,
      class: attemptClass,
      status,
      durationMs: this.durationOf(current),
    };
    return {
      attempts: [...earlier, attempt],
      channelId: channel.id,
      upstreamModel: target.model,
      ...(request.reasoningEffort !== undefined && { reasoningEffort: request.reasoningEffort }),
    };
  }

  private durationOf({ startedMono }: Try): number {
    return Math.round(this.clock.monotonic() - startedMono);
  }

  private context({ call, target, channel }: Try): ReplyContext {
    return {
      requestId: call.requestId,
      model: call.model,
      includeUsage: call.includeUsage,
      setting: target.setting,
      nowSeconds: this.clock.seconds(),
      secrets: secretsOfChannel(channel),
      promptTokens: call.endpoint === 'messages' ? roughTokens(promptText(call.json)) : 0,
    };
  }
}

const cutFault = {
  class: 'upstream',
  message: '上游连接中断，回复不完整',
  type: 'upstream_error',
  code: 'upstream_cut',
} as const satisfies UpstreamFault;

/** A mapping that runs in a circle is the operator's fault; anything else the client asked for. */
function rejection({ id, type }: RoutedChannel, { code, message }: RequestRejected): AttemptFailure {
  const isMapping = code === 'model_mapping_contains_cycle';
  const fault: UpstreamFault = {
    class: 'invalid',
    message,
    type: isMapping ? 'new_api_error' : 'invalid_request_error',
    code: isMapping ? 'model_mapped_error' : code,
  };
  const attempt: Attempt = {
    channelId: id,
    channelType: type,
    class: 'invalid',
    status: 0,
    errorCode: fault.code,
    message,
    durationMs: 0,
  };
  return { attempt, fault, aborted: false, localStatus: isMapping ? 500 : 400 };
}

/** The status says enough when the text cannot be had. */
async function readErrorBody(response: UpstreamResponse): Promise<string | undefined> {
  try {
    return (await response.read(MAX_ERROR_BYTES)).toString('utf8');
  } catch (error) {
    if (error instanceof UpstreamFailure && error.reason !== 'aborted') return undefined;
    throw error;
  }
}

function writeStreamHead({ response, requestId }: RelayCall, headers: UpstreamResponse['headers']): void {
  response.writeHead(200, {
    ...keptHeaders(headers),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
    'x-accel-buffering': 'no',
    'x-oneapi-request-id': requestId,
  });
}
