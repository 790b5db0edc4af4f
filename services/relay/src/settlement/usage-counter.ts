import { Injectable } from '@nestjs/common';
import type { Usage } from '@tollgate/contracts';
import { Host, Logger, Metrics } from '@tollgate/chassis';
import type { ReplyStream } from '@tollgate/providers';
import { noUsage } from '../call/outcome.js';
import { type RelayCall, soundOf } from '../call/relay-call.js';
import { promptOf, type Try } from '../upstream/try.js';
import { fixedUsage } from '../usage/fixed-usage.js';
import { type CountedPrompt, countedPrompt, roughPrompt } from '../usage/counted-prompt.js';
import { RunningCount } from '../usage/running-count.js';
import { lengthInFile, measuredSound } from '../usage/measured-sound.js';
import { soundUsage } from '../usage/sound.js';
import { roughTokens, TokenCounter } from '../usage/token-counter.js';
import type { Answer, Counted, Doubt } from './counted.js';
import { atLeast, besideText, countedPictures, mediaUsage, searchesIn, withinOutputLimit } from './own-count.js';
import { believedSoFar, judge, type Judged } from './stated-usage.js';

const noPrompt: CountedPrompt = { text: '', added: 0 };

/**
 * Determines the usage of a request: the upstream's numbers where they are plausible; the highest plausible ones where
 * they exceed them; or our own count of what was sent and received.
 */
@Injectable()
export class UsageCounter {
  private readonly prompts = new WeakMap<RelayCall, Usage>();
  private readonly replies = new WeakMap<Try, RunningCount>();
  private readonly counting = new WeakSet<Try>();
  private readonly roughPrompts = new WeakMap<RelayCall, Usage>();
  /** Attempts whose implausible usage was already reported, since a stream is measured several times. */
  private readonly alarmed = new WeakSet<Try>();
  private readonly doubted: ReturnType<typeof Metrics.prototype.counter<'channel' | 'reason'>>;

  constructor(
    private readonly tokens: TokenCounter,
    private readonly logger: Logger,
    private readonly host: Host,
    metrics: Metrics,
  ) {
    this.doubted = metrics.counter(
      'tollgate_relay_usage_doubted_total',
      'Requests whose upstream stated a usage that cannot be true: cut to the most that can, or counted here.',
      ['channel', 'reason'],
    );
  }

  /**
   * The usage to charge: the upstream's numbers where they are trusted, otherwise our own count, marked as an estimate.
   */
  count(current: Try, answer: Answer): Promise<Counted> | Counted {
    const measured = this.measure(current, answer);
    if (answer.stated) return measured;
    return measured instanceof Promise
      ? measured.then((counted) => withinOutputLimit(counted, current))
      : withinOutputLimit(measured, current);
  }

  /** Like `count`, but our own count is not capped by the output limit that the upstream was given. */
  measure(current: Try, answer: Answer): Promise<Counted> | Counted {
    const { stated, received } = answer;
    const fixed = fixedOf(current);
    if (fixed) return { usage: fixed, usageSource: 'requested' };
    const judged = stated && judge(current, stated, received);
    if (stated && judged?.usageDoubt) this.alarm(current, stated, judged);
    if (!judged?.usage) return this.countOurselves(current, answer, judged?.usageDoubt);
    return answer.isByLength ? this.countLength(current, judged) : judged;
  }

  /**
   * Replaces the stated length by the length in the file where that can be read: some upstreams only state the end of
   * the last word.
   */
  private async countLength({ call }: Try, stated: Counted): Promise<Counted> {
    const sound = soundOf(call);
    const usage = sound && (await lengthInFile(sound, stated.usage));
    return usage ? { ...stated, usage, usageSource: 'requested' } : stated;
  }

  private async countOurselves(current: Try, answer: Answer, usageDoubt: Doubt | undefined): Promise<Counted> {
    const { call } = current;
    const sound = soundOf(call);
    if (sound)
      return { usage: await measuredSound(sound), usageSource: 'estimated', ...(usageDoubt && { usageDoubt }) };
    const soFar = believedSoFar(current, answer);
    const { pictures } = current.granted.bound.prompt;
    if (pictures)
      return { ...countedPictures(current, answer, { pictures, soFar }), ...(usageDoubt && { usageDoubt }) };
    const reply = answer.text();
    const [known, spoken] = await Promise.all([
      soFar ?? this.countPrompt(current),
      this.tokens.count(reply.text, current.target.model, call.user.id),
    ]);
    const outputTokens = spoken + besideText(reply);
    const usage = { ...atLeast(known, outputTokens), ...searchesIn(reply, current) };
    return { usage, usageSource: 'estimated', ...(usageDoubt && { usageDoubt }) };
  }

  /** The usage of the prompt alone, for an answer whose client left. A prompt is counted once per call. */
  async countPrompt(current: Try): Promise<Usage> {
    const { call, target } = current;
    const sound = soundOf(call);
    if (sound) return measuredSound(sound);
    const known = fixedOf(current) ?? this.prompts.get(call);
    if (known) return known;
    const { text, added } = countedPrompt(promptOf(current), target.model);
    return this.keepPrompt(current, added + (await this.tokens.count(text, target.model, call.user.id)));
  }

  /**
   * Usage for the interim record of a running stream, which is booked only if the process dies before its end: what a
   * client that left now would pay, as far as it was counted.
   */
  interim(current: Try, stream: ReplyStream, received: number): Counted {
    const stated = stream.usage();
    const judged = stated && judge(current, stated, received);
    if (judged?.usage) return judged;
    const known = believedSoFar(current, { soFar: stream.usageSoFar(), received });
    if (current.departure.policy === 'reported') return { usage: known ?? noUsage, usageSource: 'upstream' };
    const reply = stream.text();
    const outputTokens = (this.replies.get(current)?.tokens ?? 0) + besideText(reply);
    const usage = { ...atLeast(known ?? this.leastPrompt(current), outputTokens), ...searchesIn(reply, current) };
    return withinOutputLimit({ usage, usageSource: 'estimated' }, current);
  }

  /**
   * Counts tokens for the interim record as soon as there is time to spare, in turn with the other streams. Until then
   * less may be booked, never more.
   */
  async countAside(current: Try, stream: ReplyStream, received: number): Promise<void> {
    const stated = stream.usage();
    const isStated = stated && judge(current, stated, received).usage;
    if (isStated || current.departure.policy === 'reported' || this.counting.has(current)) return;
    this.counting.add(current);
    try {
      const soFar = believedSoFar(current, { soFar: stream.usageSoFar(), received });
      await this.countGrown(current, stream, soFar !== undefined);
    } finally {
      this.counting.delete(current);
    }
  }

  private async countGrown(current: Try, stream: ReplyStream, isPromptStated: boolean): Promise<void> {
    const { call, target } = current;
    const isPromptKnown = isPromptStated || this.prompts.has(call);
    const reply = this.replies.get(current) ?? new RunningCount();
    this.replies.set(current, reply);
    if (isPromptKnown && reply.next(stream.text().text) === '') return;
    const prompt = isPromptKnown ? noPrompt : countedPrompt(promptOf(current), target.model);
    let part = '';
    // More may have been said by the time that it is this stream's turn.
    const grown = (): string[] => [(part = reply.next(stream.text().text)), prompt.text];
    const counts = await this.tokens.countAside(grown, target.model);
    if (!counts) return;
    const [spoken = 0, promptTokens = 0] = counts;
    reply.add(part, spoken);
    if (!isPromptKnown) this.keepPrompt(current, prompt.added + promptTokens);
  }

  /** A cheap estimate of the stream's usage so far, not capped by the output limit that the upstream was given. */
  measureRoughly(current: Try, stream: ReplyStream, received: number): Counted {
    const stated = stream.usage();
    const judged = stated && judge(current, stated, received);
    if (judged?.usage) return judged;
    const reply = stream.text();
    const outputTokens = roughTokens(reply.text) + besideText({ ...reply, toolCalls: 0 });
    const known = believedSoFar(current, { soFar: stream.usageSoFar(), received }) ?? this.roughPrompt(current);
    return { usage: { ...atLeast(known, outputTokens), ...searchesIn(reply, current) }, usageSource: 'estimated' };
  }

  /** Computed once per call, since the prompt does not change while the reply grows. */
  private roughPrompt(current: Try): Usage {
    const { call } = current;
    const sound = soundOf(call);
    if (sound) return soundUsage(sound);
    const fixed = fixedOf(current);
    if (fixed) return fixed;
    let rough = this.roughPrompts.get(call);
    if (rough === undefined) {
      const inputTokens = roughPrompt(promptOf(current), current.target.model);
      rough = { ...noUsage, ...mediaUsage(current, this.host.env), inputTokens };
      this.roughPrompts.set(call, rough);
    }
    return rough;
  }

  /**
   * A lower bound for a prompt that was not counted yet: no ordinary text has fewer tokens than half of the estimate.
   */
  private leastPrompt(current: Try): Usage {
    const known = fixedOf(current) ?? this.prompts.get(current.call);
    if (known) return known;
    const rough = this.roughPrompt(current);
    return { ...rough, inputTokens: Math.ceil(rough.inputTokens / 2) };
  }

  private keepPrompt(current: Try, inputTokens: number): Usage {
    const usage = { ...noUsage, ...mediaUsage(current, this.host.env), inputTokens };
    this.prompts.set(current.call, usage);
    return usage;
  }

  private alarm(current: Try, stated: Usage, { usage, usageDoubt }: Judged): void {
    if (this.alarmed.has(current)) return;
    this.alarmed.add(current);
    const { call, channel } = current;
    const reason = usage ? 'cut' : String(usageDoubt);
    this.doubted.inc({ channel: String(channel.id), reason });
    const what = usage ? 'the most that can be is charged' : 'it was counted here';
    this.logger.warn(`an upstream stated a usage that cannot be true; ${what}`, {
      channelId: channel.id,
      requestId: call.requestId,
      reason,
      stated,
      ...(usage && { charged: usage }),
    });
  }
}

const fixedOf = ({ granted }: Try): Usage | undefined => fixedUsage(granted);
