import { Injectable } from '@nestjs/common';
import { emptyTaskUpdate, type RoutedChannel, type TaskPlatform } from '@tollgate/contracts';
import { Clock, Lifecycle, Logger, OutboundClient } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import { type JsonObject, maskSecrets, taskAddress } from '@tollgate/providers';
import { noUsage, type RouteTaken } from '../call/outcome.js';
import type { Refusal } from '../call/refusal.js';
import type { BilledCall } from '../call/relay-call.js';
import { LAST_RECORDS_MS, Running } from '../call/running.js';
import { Admission } from '../admission/admission.js';
import { GivenUp, NOT_MADE, Retries, type RetryFacts, type Round, type Sender } from '../retry/retries.js';
import { ChannelBreakers } from '../routing/channel-breakers.js';
import { secretsOfChannel } from '../upstream/channel-target.js';
import { type Charged, Settlement } from '../settlement/settlement.js';
import type { TaskAnswer } from './task-answers.js';
import { attemptOf } from './task-attempt.js';
import { outcomeUnknown } from './task-fault.js';
import { isLate, isUnsent } from './unsent.js';
import { TasksClient } from './tasks.client.js';
import { maskedAnswer, withoutSecrets } from './without-secrets.js';
import { wayOf, wholeWithin } from '../upstream/way.js';

const ACCEPTED = { isAccepted: true, status: 200, code: 1, news: emptyTaskUpdate } as const;
/** The usage that is recorded for a task: a call at a fixed price has no token counts. */
const ONE_CALL = { ...noUsage, inputTokens: 1 };

/** A requested task and the channels to which it may be submitted. */
export interface TaskOrder {
  call: BilledCall & Round['call'];
  isFree: boolean;
  channels: readonly RoutedChannel[];
  submissionTo(channel: RoutedChannel): Submission;
}

/** A task that is admitted. */
interface TaskRound extends Round {
  readonly order: TaskOrder;
  readonly charged: Charged;
}

/** A submission that was not accepted. */
interface TaskFailure extends RetryFacts {
  answer: TaskAnswer;
}

/** One submission, ready to be sent to its channel. */
export interface Submission {
  call: BilledCall;
  channel: RoutedChannel;
  platform: TaskPlatform;
  action: string;
  prompt: string;
  isFree: boolean;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Whether the body selects certain accounts of the upstream. */
  choosesAccount: boolean;
  timeoutMs: number;
  read(status: number, body: Buffer): TaskAnswer;
  /** The reply to the client for a task that an earlier run submitted, in place of the upstream's lost one. */
  accepted(upstreamId: string): JsonObject;
  /** The client's refusal when the upstream does not answer. */
  unanswered(reason: string): Refusal;
  /** The client's refusal when the task was accepted but could not be stored. */
  lost: Refusal;
}

/**
 * Runs a task from its admission to its record. The task is stored by the channel service before it is sent to the
 * upstream, charged once the upstream has accepted it, and settled with the channel service before the client gets its
 * id. If a process dies in between, the channel service ends the task after a while, and its price is refunded if it
 * was charged.
 */
@Injectable()
export class Submissions implements Sender<TaskRound, TaskAnswer, TaskFailure> {
  private readonly running: Running;

  constructor(
    private readonly admission: Admission,
    private readonly settlement: Settlement,
    private readonly tasks: TasksClient,
    private readonly outbound: OutboundClient,
    private readonly retries: Retries,
    private readonly breakers: ChannelBreakers,
    private readonly clock: Clock,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    this.running = new Running(clock);
    lifecycle.onDrain(() => this.idle());
  }

  /** Returns the upstream's answer; throws a refusal when no upstream answered. */
  submit(order: TaskOrder): Promise<TaskAnswer> {
    return this.running.during(async () => {
      const charged = await this.admission.admitTask(order.call, order.isFree || order.call.wasCharged === true);
      return this.serve(order, charged).finally(() => charged.hold.settle(0));
    });
  }

  private async serve(order: TaskOrder, charged: Charged): Promise<TaskAnswer> {
    const { call, channels: candidates } = order;
    const round = { call, candidates, order, charged, attempts: [] };
    const outcome = await this.retries.run<TaskRound, TaskAnswer, TaskFailure>(this, round);
    if (!(outcome instanceof GivenUp)) return outcome;
    const route = { attempts: round.attempts, channelId: outcome.channel.id };
    return this.refuse(call, { charged, route, answer: outcome.failure.answer });
  }

  /** A submission is ended by nothing but its answer: an upstream that took a task works on without the client. */
  hasLeft(): boolean {
    return false;
  }

  /** Stores the task, submits it, and charges it if it is accepted. */
  async send(
    { order, charged, attempts }: TaskRound,
    channel: RoutedChannel,
  ): Promise<TaskAnswer | TaskFailure | typeof NOT_MADE> {
    const submission = order.submissionTo(channel);
    const opened = await this.open(submission);
    if (opened.answer) return opened.answer;
    // The stored row still names the first channel, and the task could not be found at another one.
    if (attempts.length > 0 && opened.channelId !== channel.id) return NOT_MADE;
    const began = this.clock.monotonic();
    const answer = await this.submitted(submission);
    const durationMs = this.clock.monotonic() - began;
    const attempt = attemptOf(channel, answer, { durationMs, choosesAccount: submission.choosesAccount });
    if (!answer.isAccepted) return { attempt, answer, aborted: false, mayGoOn: answer.mayGoOn === true };
    this.breakers.succeeded(channel.id);
    const route = { attempts: [...attempts, attempt], channelId: channel.id };
    return this.accept(submission, { charged, route, answer });
  }

  /** Stores the task before it is sent. Returns its answer if an earlier run already submitted it. */
  private async open(submission: Submission): Promise<Opened> {
    const { call, channel, platform, action, prompt } = submission;
    const known = await this.tasks.open({
      ...{ requestId: call.requestId, userId: call.user.id, tokenId: call.token?.id ?? 0, channelId: channel.id },
      ...{ platform, action, prompt: prompt.slice(0, 20_000), submittedAt: Math.round(call.startedAt) },
    });
    const { upstreamId, isOver, channelId } = known;
    if (!call.isAgain) return { channelId };
    const isTask = upstreamId !== '' && upstreamId !== call.requestId;
    if (isTask) return { channelId, answer: { ...ACCEPTED, upstreamId, body: submission.accepted(upstreamId) } };
    if (isOver) throw outcomeUnknown();
    return { channelId };
  }

  private async accept(submission: Submission, { charged, route, answer }: Ended): Promise<TaskAnswer> {
    const { call, platform, action } = submission;
    call.task = { action, upstreamId: platform === 'midjourney' && action !== 'SWAP_FACE' ? answer.upstreamId : '' };
    const usage = submission.isFree ? noUsage : ONE_CALL;
    if (!call.wasCharged)
      await this.settlement.close(call, charged, route, { outcome: 'completed', usage, usageSource: 'requested' });
    await this.keep(submission, charged, answer);
    return answer;
  }

  private async keep(submission: Submission, charged: Charged, answer: TaskAnswer): Promise<void> {
    const { call } = submission;
    const quota = submission.isFree ? 0 : rate(ONE_CALL, charged.terms.price);
    const upstreamId = answer.upstreamId || call.requestId;
    const { code, news } = answer;
    try {
      await this.tasks.settle({ requestId: call.requestId, upstreamId, code, quota, news });
    } catch (error) {
      this.logger.error('a task was accepted and could not be kept', { error, requestId: call.requestId });
      submission.lost.isCharged = true;
      throw submission.lost;
    }
  }

  private async submitted(submission: Submission): Promise<TaskAnswer> {
    const { channel, path, headers, body, timeoutMs, read, unanswered } = submission;
    const way = wayOf(channel.setting);
    try {
      const reply = await this.outbound.send({
        kind: 'channel',
        method: 'POST',
        url: `${taskAddress(channel)}${path}`,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        timeoutMs: wholeWithin(way, timeoutMs),
        proxy: way.proxy,
      });
      const answer = read(reply.status, reply.body);
      if (answer.isAccepted) return maskedAnswer(answer, channel);
      return read(reply.status, withoutSecrets(reply.body, channel));
    } catch (error) {
      const reason = maskSecrets((error as Error).message, secretsOfChannel(channel));
      this.logger.warn('a task could not be handed over', { error, channelId: channel.id });
      const news = { ...emptyTaskUpdate, failReason: reason.slice(0, 2000) };
      const known = { mayGoOn: isUnsent(error), isLate: isLate(error) };
      const nothing = { isAccepted: false, status: 0, upstreamId: '', code: UNANSWERED };
      return { ...nothing, ...known, news, fault: unanswered(reason) };
    }
  }

  private async refuse(call: BilledCall, { charged, route, answer }: Ended): Promise<TaskAnswer> {
    const { code, fault, news } = answer;
    const reportedError = fault
      ? { status: fault.status, code: fault.error.code, type: fault.error.type, message: fault.message }
      : { status: 200, code: String(code), type: 'upstream_error', message: news.failReason };
    await this.settlement.undelivered(call, charged, route, reportedError);
    // An earlier run may have been charged, so the task is not settled as refused: unsettled, it ends by itself, and
    // its price is refunded.
    if (call.isAgain) return answer;
    const settled = { requestId: call.requestId, upstreamId: '', code, quota: 0, news };
    // Nothing was charged, so it does no harm if this fails: a task that stays unsettled ends by itself.
    await this.tasks
      .settle(settled)
      .catch((error: unknown) =>
        this.logger.warn('a refused task could not be settled', { error, requestId: call.requestId }),
      );
    return answer;
  }

  /** Waits until submissions in progress are recorded, before the spool is closed. */
  private async idle(): Promise<void> {
    const { running } = this;
    await running.idle(LAST_RECORDS_MS);
    if (running.count > 0) this.logger.warn('submissions still run while the relay stops', { running: running.count });
  }
}

interface Opened {
  /** The channel that the stored row names; `undefined` from an older version of the channel service. */
  channelId: number | undefined;
  /** Set when an earlier run's submission was accepted by the upstream. */
  answer?: TaskAnswer;
}

/** How a submission ended, accepted or not. */
interface Ended {
  charged: Charged;
  route: RouteTaken;
  answer: TaskAnswer;
}

const UNANSWERED = 5;
