import { Injectable } from '@nestjs/common';
import { Logger, OptionStore } from '@tollgate/platform';
import type { ReplyStream } from '@tollgate/providers';
import { type AttemptFailure, cutFault, toldFailureOf } from './attempt-failure.js';
import type { Course } from './outcome.js';
import type { RelayCall } from './relay-call.js';
import { keptHeaders } from './reply-headers.js';
import { Settlement } from './settlement.js';
import { type Delivered, StreamDelivery } from './stream-delivery.js';
import { courseOf, type Try } from './try.js';
import { UpstreamFailure, type UpstreamResponse } from './upstream.client.js';

/** Carries an answer that comes in pieces to the client. */
@Injectable()
export class StreamedReply {
  constructor(
    private readonly settlement: Settlement,
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
    if (!delivered.started && delivered.end !== 'completed') return emptyStream(current, stream, delivered);
    await this.end(current, stream, { delivered, course, firstTokenMs, headers: response.headers });
    return undefined;
  }

  /** The record first, then the last bytes. */
  private async end(
    { call, granted }: Try,
    stream: ReplyStream,
    {
      delivered,
      course,
      firstTokenMs,
      headers,
    }: { delivered: Delivered; course: Course; firstTokenMs: number | undefined; headers: UpstreamResponse['headers'] },
  ): Promise<void> {
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
}

function emptyStream(current: Try, stream: ReplyStream, { end, failure }: Delivered): AttemptFailure {
  if (stream.fault) return toldFailureOf(current, 200, stream.fault);
  if (end === 'client_abort') throw new UpstreamFailure('aborted');
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
