import { optionalTokenCounts, type RequestConsumed, type Usage } from '@tollgate/contracts';
import { holdFor, isPerCall, rate } from '@tollgate/pricing';
import { RealtimeMeter, type RealtimeEvent } from '@tollgate/providers';
import type { Hold } from '../budget/hold.js';
import { noUsage, type RouteTaken } from '../call/outcome.js';
import type { BilledCall } from '../call/relay-call.js';
import type { Charged, Settlement } from '../settlement/settlement.js';
import type { Counted } from '../settlement/usage-counter.js';
import type { TokenCounter } from '../usage/token-counter.js';

interface Parts {
  call: BilledCall;
  charged: Charged;
  route: RouteTaken;
  settlement: Settlement;
  tokens: Pick<TokenCounter, 'count'>;
  /** Tokens that must be there for an answer to begin (option `PreConsumedQuota`). */
  leastAnswer: number;
}

/** A hold grows by so much more than it must, so that it grows seldom. */
const RESERVE = 1.25;

/**
 * What a session costs: each answer is one part, charged by what the upstream states of it within what can be true, else by our own count.
 * A part is on disk before the client hears that the answer is over, so a relay that dies owes at most the answer under way.
 */
export class SessionBill {
  private readonly meter = new RealtimeMeter();
  private total: Usage = noUsage;
  private usageSource: RequestConsumed['usageSource'] = 'upstream';
  private usageDoubt: RequestConsumed['usageDoubt'];
  private firstTokenMs: number | undefined;
  private opening: Promise<void> | undefined;
  /** Parts are added one after the other, so that none is taken for what another one still counts. */
  private adding: Promise<void> = Promise.resolve();

  constructor(private readonly parts: Parts) {}

  get hold(): Pick<Hold, 'shortOf'> {
    return this.parts.charged.hold;
  }

  get isAnswering(): boolean {
    return this.meter.isAnswering;
  }

  /** Whether a message of the client may go on. False: nothing is left to pay for what it asks. */
  sent(frame: Buffer): boolean | Promise<boolean> {
    return this.take(this.meter.sent(frame));
  }

  /** Whether a message of the upstream may go on. */
  heard(frame: Buffer): boolean | Promise<boolean> {
    return this.take(this.meter.heard(frame));
  }

  private take(event: RealtimeEvent): boolean | Promise<boolean> {
    if (event.kind === 'done') return this.book(event);
    if (event.kind === 'asked' || event.kind === 'begun') return this.affordsAnswer();
    if (event.kind === 'transcribed') return this.bookTranscript(event);
    if (event.kind === 'listening') return this.affordsSound();
    if (event.kind !== 'spoken') return true;
    this.firstTokenMs ??= this.parts.settlement.elapsed(this.parts.call);
    return this.affordsMore();
  }

  private costOf(usage: Usage): number {
    return rate(usage, this.parts.charged.terms.price);
  }

  /** All that is charged already, what was said of the answers under way, and what is being written down. */
  private said(): Usage {
    const sound = this.meter.unchargedSound();
    const heard = sound ? plus(this.total, sound) : this.total;
    return this.meter.hasSpoken() ? plus(heard, this.meter.estimateRoughly()) : heard;
  }

  /** The same, and what those answers have read again. */
  private running(): Usage {
    const again = this.meter.readAgain();
    return again ? plus(this.said(), again) : this.said();
  }

  /** Before sound is written down: that it can be paid. From then on a relay that dies owes it. */
  private async affordsSound(): Promise<boolean> {
    const isPaid = await this.affords(this.costOf(plus(this.running(), this.meter.soundToCome())));
    if (this.meter.unchargedSound()) await this.inTurn(() => this.recordRunning());
    return isPaid;
  }

  private async bookTranscript({
    usage,
    isPlausible,
  }: Extract<RealtimeEvent, { kind: 'transcribed' }>): Promise<boolean> {
    if (!isPlausible) this.usageDoubt = 'implausible';
    else if (usage) {
      this.total = plus(this.total, usage);
      await this.inTurn(() => this.record(this.counted(this.total)));
    }
    return this.affords(this.costOf(this.running()));
  }

  /** Before an answer is made: that it and those beside it can be paid, each with all it reads and a little that it says. */
  private affordsAnswer(): boolean | Promise<boolean> {
    const { price } = this.parts.charged.terms;
    if (isPerCall(price)) return true;
    const { text, audio } = this.meter.nextPrompt();
    const bound = { textTokens: text, audioTokens: audio, imageTokens: 0, outputTokens: this.parts.leastAnswer };
    return this.affords(this.costOf(this.said()) + this.meter.underWay * holdFor(bound, price));
  }

  /** While answers are made: that what they say can be paid beside all that they have read. */
  private affordsMore(): boolean | Promise<boolean> {
    const { price } = this.parts.charged.terms;
    const said = this.costOf(this.said());
    if (isPerCall(price)) return this.affords(said);
    const { text, audio } = this.meter.promptsBeside();
    return this.affords(
      said + holdFor({ textTokens: text, audioTokens: audio, imageTokens: 0, outputTokens: 0 }, price),
    );
  }

  private affords(cost: number): boolean | Promise<boolean> {
    return cost <= this.parts.charged.hold.amount || this.grow(cost);
  }

  private async grow(cost: number): Promise<boolean> {
    const { hold } = this.parts.charged;
    for (const amount of [Math.ceil(cost * RESERVE), cost]) {
      // Billing may be away; then nothing more can be lent.
      const grown = await Promise.resolve(hold.grow(amount)).catch(() => false);
      if (grown) return true;
    }
    return false;
  }

  private async book({ id, usage, isPlausible, isAside }: Extract<RealtimeEvent, { kind: 'done' }>): Promise<boolean> {
    if (usage && !isPlausible) this.usageDoubt = 'implausible';
    await this.inTurn(() => this.add({ stated: isPlausible ? usage : undefined, isAside, id }));
    return this.affords(this.costOf(this.total));
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.adding.then(work);
    this.adding = turn.catch(() => undefined);
    return turn;
  }

  /** One part more: this answer, or all that did not end. One of which nothing is stated and nothing came costs nothing. */
  private async add({
    stated,
    isAside = false,
    id,
  }: {
    stated?: Usage | undefined;
    isAside?: boolean;
    id?: string;
  }): Promise<void> {
    if (!stated && !this.meter.hasSpoken(id)) return;
    const again = id === undefined ? this.meter.readAgain() : undefined;
    const usage = stated ?? (await this.count(id));
    if (!stated) this.usageSource = 'estimated';
    this.total = plus(again ? plus(this.total, again) : this.total, usage);
    this.meter.settled(usage, { isStated: stated !== undefined, isAside }, id);
    await this.record(this.counted(this.total));
  }

  private async count(id: string | undefined): Promise<Usage> {
    const { tokens, call } = this.parts;
    const texts = this.meter.texts(id);
    const [asked, spoken, tools] = await Promise.all(
      [texts.asked, texts.spoken, this.meter.toolTexts()].map((text) => tokens.count(text, call.model, call.user.id)),
    );
    return this.meter.estimate({ asked: asked ?? 0, spoken: spoken ?? 0, tools: tools ?? 0 }, id);
  }

  /** What would be booked if we died now, while an answer is made. */
  async noteProgress(): Promise<void> {
    if (this.meter.hasSpoken()) await this.recordRunning();
  }

  private recordRunning(): Promise<void> {
    return this.record({ ...this.counted(this.running()), usageSource: 'estimated' });
  }

  /** The first is the whole record, and those that follow only say what has changed. */
  private async record(counted: Counted): Promise<void> {
    const { call, charged, route, settlement } = this.parts;
    if (this.opening === undefined) return (this.opening = settlement.open(call, charged, route, counted));
    await this.opening;
    await settlement.progress(call, charged, route, counted);
  }

  private addUnchargedSound(): void {
    const sound = this.meter.unchargedSound();
    if (!sound) return;
    this.total = plus(this.total, sound);
    this.usageSource = 'estimated';
  }

  /**
   * The one record. What was said of an answer that did not end is charged too, and what it read, unless our own stop cut it off, and what was written down
   * and neither stated nor a part of an answer.
   */
  async close(outcome: RequestConsumed['outcome'], error?: RequestConsumed['error']): Promise<void> {
    const { call, charged, route, settlement } = this.parts;
    await this.inTurn(() => (outcome === 'interrupted' ? Promise.resolve() : this.add({})));
    this.addUnchargedSound();
    await settlement.closeDelivered(call, charged, route, {
      ...this.counted(this.total),
      outcome,
      ...(error && { error }),
    });
  }

  private counted(usage: Usage): Counted & { firstTokenMs?: number } {
    const { usageSource, usageDoubt, firstTokenMs } = this;
    return {
      usage,
      usageSource,
      ...(usageDoubt && { usageDoubt }),
      ...(firstTokenMs !== undefined && { firstTokenMs }),
    };
  }
}

function plus(one: Usage, other: Usage): Usage {
  const sum: Usage = {
    semantics: 'openai',
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
  for (const kind of optionalTokenCounts) {
    const tokens = (one[kind] ?? 0) + (other[kind] ?? 0);
    if (tokens > 0) sum[kind] = tokens;
  }
  return sum;
}
