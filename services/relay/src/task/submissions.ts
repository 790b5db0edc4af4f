import { Injectable } from '@nestjs/common';
import { type Attempt, noNews, type RoutedChannel, type TaskPlatform } from '@tollgate/contracts';
import { Clock, Lifecycle, Logger, OptionStore, OutboundClient } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import { type JsonObject, maskSecrets, taskAddress } from '@tollgate/providers';
import { noUsage, type RouteTaken } from '../call/outcome.js';
import { Refusal } from '../call/refusal.js';
import type { BilledCall } from '../call/relay-call.js';
import { Admission } from '../admission/admission.js';
import { secretsOfChannel } from '../upstream/channel-target.js';
import { type Charged, Settlement } from '../settlement/settlement.js';
import type { TaskAnswer } from './task-answers.js';
import { attemptOf } from './task-attempt.js';
import { outcomeUnknown } from './task-fault.js';
import { isLate, isUnsent } from './unsent.js';
import { TasksClient } from './tasks.client.js';
import { withoutSecrets } from './without-secrets.js';

const LAST_RECORDS_MS = 5000;
const ACCEPTED = { isAccepted: true, status: 200, code: 1, news: noNews } as const;
/** What a task states as its use: a call at a fixed price has no tokens. */
const ONE_CALL = { ...noUsage, inputTokens: 1 };

/** What somebody wants to have made, and the channels that it may be handed to. */
export interface TaskOrder {
  call: BilledCall;
  isFree: boolean;
  /** For the next channel that was not asked; undefined where none is left. */
  next(tried: ReadonlySet<number>): Submission | undefined;
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
  /** The body, as it is sent, says which of the upstream's accounts may do it. */
  choosesAccount: boolean;
  timeoutMs: number;
  read(status: number, body: Buffer): TaskAnswer;
  /** What the upstream answered when it accepted this one, as far as it matters. */
  accepted(upstreamId: string): JsonObject;
  /** What the client is told when nothing answers. */
  unanswered(reason: string): Refusal;
  /** What the client is told when the task was accepted and could not be kept. */
  lost: Refusal;
}

/**
 * A task from its admission to its record: known to channel before the upstream hears of it, charged once the upstream has accepted it,
 * and settled with channel before the client gets the id. Whatever dies between two of these, channel ends the task in time, and its
 * price goes back if it was charged.
 */
@Injectable()
export class Submissions {
  private running = 0;

  constructor(
    private readonly admission: Admission,
    private readonly settlement: Settlement,
    private readonly tasks: TasksClient,
    private readonly outbound: OutboundClient,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(() => this.idle());
  }

  /** What the upstream answered; throws the refusal of what nobody took. */
  async submit(order: TaskOrder): Promise<TaskAnswer> {
    this.running += 1;
    try {
      const charged = await this.admission.admitTask(order.call, order.isFree || order.call.wasCharged === true);
      return await this.serve(order, charged).finally(() => charged.hold.settle(0));
    } finally {
      this.running -= 1;
    }
  }

  /** Channel after channel, as long as the one before is known not to have taken it. */
  private async serve(order: TaskOrder, charged: Charged): Promise<TaskAnswer> {
    const { call } = order;
    const tried = new Set<number>();
    const attempts: Attempt[] = [];
    const limit = this.options.get('RetryTimes') + 1;
    let submission = order.next(tried);
    if (!submission)
      throw new Refusal(503, `当前分组 ${call.group} 下对于模型 ${call.model} 无可用渠道`, 'no_available_channel');
    let opened = await this.open(submission);
    for (;;) {
      if (opened.answer) return opened.answer;
      const { channel } = submission;
      const began = this.clock.monotonic();
      const answer = await this.ask(submission);
      const durationMs = this.clock.monotonic() - began;
      attempts.push(attemptOf(channel, answer, { durationMs, choosesAccount: submission.choosesAccount }));
      tried.add(channel.id);
      const ended = { charged, route: { attempts, channelId: channel.id }, answer };
      if (answer.isAccepted) return this.accept(submission, ended);
      const next = answer.mayGoOn && attempts.length < limit ? order.next(tried) : undefined;
      if (!next) return this.refuse(submission, ended);
      opened = await this.open(next);
      // Where the row goes on to name the first one, nobody would find the task at another.
      if (!opened.answer && opened.channelId !== next.channel.id) return this.refuse(submission, ended);
      submission = next;
    }
  }

  /** Makes the task known. */
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

  private async ask({ channel, path, headers, body, timeoutMs, read, unanswered }: Submission): Promise<TaskAnswer> {
    const { proxy } = channel.setting;
    try {
      const reply = await this.outbound.send({
        kind: 'channel',
        method: 'POST',
        url: `${taskAddress(channel)}${path}`,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        timeoutMs,
        proxy: typeof proxy === 'string' ? proxy : '',
      });
      const answer = read(reply.status, reply.body);
      return answer.isAccepted ? answer : read(reply.status, withoutSecrets(reply.body, channel));
    } catch (error) {
      const reason = maskSecrets((error as Error).message, secretsOfChannel(channel));
      this.logger.warn('a task could not be handed over', { error, channelId: channel.id });
      const news = { ...noNews, failReason: reason.slice(0, 2000) };
      const known = { mayGoOn: isUnsent(error), isLate: isLate(error) };
      const nothing = { isAccepted: false, status: 0, upstreamId: '', code: UNANSWERED };
      return { ...nothing, ...known, news, fault: unanswered(reason) };
    }
  }

  private async refuse({ call }: Submission, { charged, route, answer }: Ended): Promise<TaskAnswer> {
    const { code, fault, news } = answer;
    const told = fault
      ? { status: fault.status, code: fault.error.code, type: fault.error.type, message: fault.message }
      : { status: 200, code: String(code), type: 'upstream_error', message: news.failReason };
    await this.settlement.undelivered(call, charged, route, told);
    // An earlier run may have been charged: what it left unsettled ends by itself, and its price goes back.
    if (call.isAgain) return answer;
    const settled = { requestId: call.requestId, upstreamId: '', code, quota: 0, news };
    // Nothing was charged: a task that stays unsettled ends by itself.
    await this.tasks
      .settle(settled)
      .catch((error: unknown) =>
        this.logger.warn('a refused task could not be settled', { error, requestId: call.requestId }),
      );
    return answer;
  }

  /** What was sent gets its record before the spool is shut. */
  private async idle(): Promise<void> {
    const deadline = this.clock.monotonic() + LAST_RECORDS_MS;
    while (this.running > 0 && this.clock.monotonic() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Opened {
  /** Whom the row names; a channel service of before does not tell. */
  channelId: number | undefined;
  /** Of an earlier run whose task the upstream has taken. */
  answer?: TaskAnswer;
}

/** How a submission ended, whoever took it. */
interface Ended {
  charged: Charged;
  route: RouteTaken;
  answer: TaskAnswer;
}

const UNANSWERED = 5;
