import { Injectable } from '@nestjs/common';
import { Host, Logger, OptionStore, wasCutOff } from '@tollgate/chassis';
import { holdFor, quotaDisplayOf, rate } from '@tollgate/pricing';
import type { ReplyStream, UpstreamFault } from '@tollgate/providers';
import type { Answer, Counted } from '../settlement/counted.js';
import { UsageCounter } from '../settlement/usage-counter.js';
import { Abandonment } from '../settlement/abandonment.js';
import {
  type AttemptFailure,
  cutFault,
  exhaustedFaultOf,
  lateFault,
  statedFailureOf,
  tooLargeFault,
  wordsFailureOf,
} from '../retry/attempt-failure.js';
import { wordsFault } from '../policy/checked-stream.js';
import { MalformedEvents } from './malformed-events.js';
import { OpeningPings } from './opening-pings.js';
import { ChannelBreakers } from '../routing/channel-breakers.js';
import { ENDPOINTS } from '../call/endpoints.js';
import type { RouteTaken } from '../call/outcome.js';
import { endPieces } from '../call/pieces.js';
import type { RelayCall } from '../call/relay-call.js';
import { pingFor } from './ping.js';
import { writeBytesHead, writeStreamHead } from './reply-headers.js';
import { Settlement } from '../settlement/settlement.js';
import { StreamBudget } from './stream-budget.js';
import { type Delivered, StreamDelivery } from './stream-delivery.js';
import { routeOf, type Try } from '../upstream/try.js';
import { UpstreamFailure, type UpstreamResponse } from '../upstream/upstream-response.js';

interface StreamEnding {
  delivered: Delivered;
  received: number;
  route: RouteTaken;
  firstTokenMs: number | undefined;
  headers: UpstreamResponse['headers'];
}

/**
 * Where the relay set the output limit, our own count may exceed the hold by the cost of this many times that limit:
 * some tokenizers make four tokens of what is one for the upstream. The excess is not charged.
 */
const TOLERATED_LIMITS = 4;

/** Delivers an answer that comes in pieces to the client. */
@Injectable()
export class StreamedReply {
  constructor(
    private readonly settlement: Settlement,
    private readonly usage: UsageCounter,
    private readonly abandonment: Abandonment,
    private readonly pings: OpeningPings,
    private readonly malformed: MalformedEvents,
    private readonly breakers: ChannelBreakers,
    private readonly options: OptionStore,
    private readonly logger: Logger,
    private readonly host: Host,
  ) {}

  async deliver(current: Try, response: UpstreamResponse, stream: ReplyStream): Promise<AttemptFailure | undefined> {
    try {
      return await this.carry(current, response, stream);
    } finally {
      this.malformed.report(current, stream);
      stream.dispose();
    }
  }

  private async carry(
    current: Try,
    response: UpstreamResponse,
    stream: ReplyStream,
  ): Promise<AttemptFailure | undefined> {
    const { call, granted } = current;
    let firstTokenMs: number | undefined;
    const route = routeOf(current, 'ok', response.status);
    const pings = call.isStream && !call.isJsonArray && this.options.get('general_setting.ping_interval_enabled');
    const everyMs = this.options.get('general_setting.ping_interval_seconds') * 1000;
    const budget = this.budgetOf(current, stream, () => delivery.received);
    const delivery: StreamDelivery = new StreamDelivery(response, stream, call.response, {
      beforeFirst: (live) => {
        this.breakers.succeeded(current.channel.id);
        firstTokenMs = this.settlement.elapsed(call);
        return this.settlement.open(call, granted, route, this.usage.interim(current, live, delivery.received));
      },
      progress: (live) => {
        this.progress(current, live, { route, firstTokenMs, received: delivery.received }).catch((error: unknown) => {
          this.logger.warn('progress of a stream could not be recorded', { error, requestId: call.requestId });
        });
      },
      head: () => {
        this.pings.stop(call);
        if (!call.response.headersSent) writeHead(call, response.headers);
      },
      isBytes: !call.isStream,
      readOn: (live) => current.departure.readOn(live.hasEnded(), () => delivery.stopReading()),
      affords: (bytes, text) => budget.spend(bytes, text),
      ...(pings && { ping: { everyMs, bytes: pingFor(call.dialect) } }),
    });
    const delivered = await delivery.run();
    if (delivered.started && delivered.failure !== undefined) {
      this.logger.warn('a stream broke', {
        error: delivered.failure,
        channelId: current.channel.id,
        requestId: call.requestId,
      });
    }
    const ending = { delivered, received: delivery.received, route, firstTokenMs, headers: response.headers };
    if (!delivered.started && delivered.end === 'upstream_cut') return this.unstarted(current, stream, ending);
    if (!delivered.started && delivered.end === 'client_abort' && (await this.wasCut(current, response.status)))
      return undefined;
    await this.end(current, stream, ending);
    return undefined;
  }

  /**
   * The client got nothing of the answer, so another channel may be tried. An answer that was held back for sensitive
   * words is charged all the same.
   */
  private async unstarted(current: Try, stream: ReplyStream, ending: StreamEnding): Promise<AttemptFailure> {
    if (stream.fault === wordsFault) await this.record(current, stream, ending);
    return emptyStream(current, stream, ending.delivered);
  }

  /**
   * Whether the relay's own stop cut off a client that got nothing yet. If the client left by itself, the cost of the
   * answer so far is recorded.
   */
  private async wasCut(current: Try, status: number): Promise<boolean> {
    const isOurs = wasCutOff(current.call.response);
    await (isOurs ? this.abandonment.close(current, status) : this.abandonment.open(current));
    return isOurs;
  }

  private async progress(
    current: Try,
    stream: ReplyStream,
    { route, firstTokenMs, received }: Pick<StreamEnding, 'route' | 'firstTokenMs' | 'received'>,
  ): Promise<void> {
    await this.usage.countAside(current, stream, received);
    const counted = this.usage.interim(current, stream, received);
    await this.settlement.progress(current.call, current.granted, route, { ...counted, firstTokenMs });
  }

  /** Compares the cost of the running stream with its hold. */
  private budgetOf(current: Try, stream: ReplyStream, received: () => number): StreamBudget {
    const { granted } = current;
    const { hold, allowedTokens, outputLimit } = granted;
    const { price } = granted.terms;
    const costOf = (outputTokens: number): number =>
      holdFor({ textTokens: 0, imageTokens: 0, audioTokens: 0, outputTokens }, price);
    const isStrict = this.host.env.TOLLGATE_OVERDRAFT === 'never';
    return new StreamBudget({
      hold,
      tokenPrice: (costOf(1e6) - costOf(0)) / 1e6,
      tolerance: isStrict ? 0 : (outputLimit === undefined ? 1 : TOLERATED_LIMITS) * costOf(allowedTokens),
      rough: () => rate(this.usage.measureRoughly(current, stream, received()).usage, price),
      exact: async () => rate((await this.usage.measure(current, answerOf(stream, received()))).usage, price),
    });
  }

  /** Writes the record, then the last bytes. */
  private async end(current: Try, stream: ReplyStream, ending: StreamEnding): Promise<void> {
    const { call } = current;
    const counted = await this.record(current, stream, ending);
    if (call.response.destroyed) return;
    if (!call.response.headersSent) writeHead(call, ending.headers);
    // A byte stream has no way to signal an error other than a broken connection.
    if (!call.isStream && ending.delivered.end !== 'completed') return void call.response.destroy();
    const { end } = ending.delivered;
    if (end === 'completed') return endPieces(call.response, stream.lastFrames(counted.usage));
    const fault = this.faultOf(ending.delivered, stream, current.granted) ?? cutFault;
    const error = { ...fault, ...(end === 'quota_exhausted' && { status: 403 }) };
    endPieces(call.response, stream.errorFrames(error, call.requestId));
  }

  private async record(
    current: Try,
    stream: ReplyStream,
    { delivered, received, route, firstTokenMs }: StreamEnding,
  ): Promise<Counted> {
    const { call, granted, departure } = current;
    const { end, started } = delivered;
    const answer = answerOf(stream, received, started);
    const hasLeft = end === 'client_abort';
    const counted = hasLeft ? await this.abandonment.count(current, answer) : await this.usage.count(current, answer);
    const fault = this.faultOf(delivered, stream, granted);
    const cameAtLast = !started && end === 'completed' && hasContent(stream, call);
    const firstMs = cameAtLast ? this.settlement.elapsed(call) : firstTokenMs;
    await this.settlement[started || hasLeft ? 'closeDelivered' : 'close'](call, granted, route, {
      ...counted,
      outcome: stream.fault === wordsFault && end === 'upstream_cut' ? 'sensitive_words' : end,
      ...(hasLeft && { abortPolicy: departure.policy }),
      ...(firstMs !== undefined && { firstTokenMs: firstMs }),
      ...(fault && { error: { status: 200, code: fault.code, type: fault.type, message: fault.message } }),
    });
    return counted;
  }

  /** The error for an answer that did not end by itself. */
  private faultOf(
    { end, failure }: Delivered,
    stream: ReplyStream,
    { hold }: Try['granted'],
  ): UpstreamFault | undefined {
    if (end === 'quota_exhausted') return exhaustedFaultOf(hold, quotaDisplayOf(this.options));
    if (end !== 'upstream_cut') return undefined;
    return stream.fault ?? faultOfBreak(failure);
  }
}

const writeHead = (call: RelayCall, headers: UpstreamResponse['headers']): void =>
  call.isStream ? writeStreamHead(call, headers) : writeBytesHead(call, headers);

/**
 * Whether there is anything in an answer that is sent as a whole with its last event. An end by itself, such as
 * `[DONE]`, is nothing; events that name their type have no such end.
 */
function hasContent(stream: ReplyStream, { endpoint }: RelayCall): boolean {
  if (ENDPOINTS[endpoint].isTyped) return true;
  const { text, droppedBytes, toolCalls, pictures = 0 } = stream.text();
  return text !== '' || droppedBytes + toolCalls + pictures > 0;
}

const answerOf = (stream: ReplyStream, received: number, hasBegun = false): Answer => ({
  stated: stream.usage(),
  soFar: stream.usageSoFar(),
  received,
  isCut: hasBegun && !stream.isComplete,
  text: () => stream.text(),
});

const faultsByReason: Partial<Record<UpstreamFailure['reason'], UpstreamFault>> = {
  timeout: lateFault,
  'too-large': tooLargeFault,
};

const faultOfBreak = (failure: unknown): UpstreamFault =>
  (failure instanceof UpstreamFailure ? faultsByReason[failure.reason] : undefined) ?? cutFault;

function emptyStream(current: Try, stream: ReplyStream, { failure }: Delivered): AttemptFailure {
  if (stream.fault === wordsFault) return wordsFailureOf(current);
  if (stream.fault) return statedFailureOf(current, 200, stream.fault);
  throw failure instanceof UpstreamFailure ? failure : new UpstreamFailure('network', { cause: failure });
}
