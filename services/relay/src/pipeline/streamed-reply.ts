import { Injectable } from '@nestjs/common';
import { Logger, OptionStore } from '@tollgate/platform';
import type { ReplyStream } from '@tollgate/providers';
import { type Counted, UsageCounter } from '../usage/usage-counter.js';
import { Abandonment } from './abandonment.js';
import { type AttemptFailure, cutFault, toldFailureOf } from './attempt-failure.js';
import type { Course } from './outcome.js';
import type { RelayCall } from './relay-call.js';
import { keptHeaders } from './reply-headers.js';
import { Settlement } from './settlement.js';
import { type Delivered, StreamDelivery } from './stream-delivery.js';
import { courseOf, type Try } from './try.js';
import { UpstreamFailure, type UpstreamResponse } from './upstream.client.js';

interface StreamEnding {
  delivered: Delivered;
  course: Course;
  firstTokenMs: number | undefined;
  headers: UpstreamResponse['headers'];
}

/** Carries an answer that comes in pieces to the client. */
@Injectable()
export class StreamedReply {
  constructor(
    private readonly settlement: Settlement,
    private readonly usage: UsageCounter,
    private readonly abandonment: Abandonment,
    private readonly options: OptionStore,
    private readonly logger: Logger,
  ) {}

  async deliver(current: Try, response: UpstreamResponse, stream: ReplyStream): Promise<AttemptFailure | undefined> {
    const { call, granted } = current;
    let firstTokenMs: number | undefined;
    const course = courseOf(current, 'ok', response.status);
    const pingMs = this.options.get('general_setting.ping_interval_enabled')
      ? this.options.get('general_setting.ping_interval_seconds') * 1000
      : undefined;
    const delivery = new StreamDelivery(response, stream, call.response, {
      beforeFirst: (live) => {
        firstTokenMs = this.settlement.elapsed(call);
        return this.settlement.open(call, granted, course, this.usage.sketch(call, granted.terms.price, live));
      },
      progress: (live) => {
        this.settlement
          .progress(call, granted, course, { ...this.usage.sketch(call, granted.terms.price, live), firstTokenMs })
          .catch((error: unknown) => {
            this.logger.warn('progress of a stream could not be recorded', { error, requestId: call.requestId });
          });
      },
      head: () => writeStreamHead(call, response.headers),
      readOn: (live) => current.departure.readOn(live.hasEnded()),
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
    if (!delivered.started && delivered.end === 'upstream_cut') return emptyStream(current, stream, delivered);
    if (!delivered.started && delivered.end === 'client_abort') await this.abandonment.open(current);
    await this.end(current, stream, { delivered, course, firstTokenMs, headers: response.headers });
    return undefined;
  }

  /** The record first, then the last bytes. */
  private async end(current: Try, stream: ReplyStream, ending: StreamEnding): Promise<void> {
    const { call } = current;
    const counted = await this.record(current, stream, ending);
    if (call.response.destroyed) return;
    if (!call.response.headersSent) writeStreamHead(call, ending.headers);
    call.response.end(
      ending.delivered.end === 'completed'
        ? stream.lastFrames(counted.usage)
        : stream.errorFrames(stream.fault ?? cutFault, call.requestId),
    );
  }

  private async record(
    current: Try,
    stream: ReplyStream,
    { delivered: { end, started }, course, firstTokenMs }: StreamEnding,
  ): Promise<Counted> {
    const { call, granted, departure } = current;
    const answer = { stated: stream.usage(), prompt: stream.promptUsage(), text: () => stream.text() };
    const hasLeft = end === 'client_abort';
    const counted = hasLeft
      ? await this.abandonment.count(current, answer)
      : await this.usage.count(call, granted.terms.price, answer);
    const { code, type, message } = stream.fault ?? cutFault;
    await this.settlement[started || hasLeft ? 'closeDelivered' : 'close'](call, granted, course, {
      ...counted,
      outcome: end,
      ...(hasLeft && { abortPolicy: departure.policy }),
      ...(firstTokenMs !== undefined && { firstTokenMs }),
      ...(end === 'upstream_cut' && { error: { status: 200, code, type, message } }),
    });
    return counted;
  }
}

function emptyStream(current: Try, stream: ReplyStream, { failure }: Delivered): AttemptFailure {
  if (stream.fault) return toldFailureOf(current, 200, stream.fault);
  throw failure instanceof UpstreamFailure ? failure : new UpstreamFailure('network', { cause: failure });
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
