import { optionalTokenCounts, type RequestConsumed, type Usage } from '@tollgate/contracts';
import { holdFor, isPerCall, rate } from '@tollgate/pricing';
import { RealtimeMeter, type RealtimeEvent } from '@tollgate/providers';
import { noUsage, type RouteTaken } from '../call/outcome.js';
import type { BilledCall } from '../call/relay-call.js';
import type { Charged, Settlement } from '../settlement/settlement.js';
import type { Counted } from '../settlement/counted.js';
import type { TokenCounter } from '../usage/token-counter.js';

interface Parts {
  call: BilledCall;
  charged: Charged;
  route: RouteTaken;
  settlement: Settlement;
  tokens: Pick<TokenCounter, 'count'>;
  /** Tokens of output that must be affordable for an answer to begin (option `PreConsumedQuota`). */
  leastAnswer: number;
}

/** A hold is raised by this factor more than needed, so that it is raised rarely. */
const RESERVE = 1.25;

/**
 * The cost of a session. Each answer is charged separately: by the usage that the upstream states if it is plausible,
 * otherwise by our own count. A charge is on disk before the client learns that the answer is over, so a relay that
 * dies owes at most the answer in progress.
 */
export class SessionBill {
  private readonly meter = new RealtimeMeter();
  private total: Usage = noUsage;
  private usageSource: RequestConsumed['usageSource'] = 'upstream';
  private usageDoubt: RequestConsumed['usageDoubt'];
  private firstTokenMs: number | undefined;
  private opening: Promise<void> | undefined;
  /** Charges are added one at a time, so that none uses a state that another still counts. */
  private adding: Promise<void> = Promise.resolve();

  constructor(private readonly parts: Parts) {}

  get isAnswering(): boolean {
    return this.meter.isAnswering;
  }

  /** Whether a message of the client may be forwarded; false when the quota does not suffice for what it requests. */
  sent(frame: Buffer): boolean | Promise<boolean> {
    return this.take(this.meter.sent(frame));
  }

  /** Whether a message of the upstream may be forwarded. */
  received(frame: Buffer): boolean | Promise<boolean> {
    return this.take(this.meter.received(frame));
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

  /** Everything charged so far, plus the output of the answers in progress and the sound being transcribed. */
  private usageSoFar(): Usage {
    const sound = this.meter.unchargedSound();
    const withSound = sound ? plus(this.total, sound) : this.total;
    return this.meter.hasSpoken() ? plus(withSound, this.meter.estimateRoughly()) : withSound;
  }

  /** `usageSoFar`, plus the input that the answers in progress have read again. */
  private running(): Usage {
    const again = this.meter.readAgain();
    return again ? plus(this.usageSoFar(), again) : this.usageSoFar();
  }

  /** Before sound is transcribed: whether it can be paid. From then on a relay that dies owes it. */
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

  /**
   * Before an answer begins: whether it and the answers in progress can be paid, each with all its input and a minimum
   * of output.
   */
  private affordsAnswer(): boolean | Promise<boolean> {
    const { price } = this.parts.charged.terms;
    if (isPerCall(price)) return true;
    const { text, audio } = this.meter.nextPrompt();
    const bound = { textTokens: text, audioTokens: audio, imageTokens: 0, outputTokens: this.parts.leastAnswer };
    return this.affords(this.costOf(this.usageSoFar()) + this.meter.underWay * holdFor(bound, price));
  }

  /** While answers are in progress: whether their output can be paid in addition to all their input. */
  private affordsMore(): boolean | Promise<boolean> {
    const { price } = this.parts.charged.terms;
    const costSoFar = this.costOf(this.usageSoFar());
    if (isPerCall(price)) return this.affords(costSoFar);
    const { text, audio } = this.meter.promptsBeside();
    return this.affords(
      costSoFar + holdFor({ textTokens: text, audioTokens: audio, imageTokens: 0, outputTokens: 0 }, price),
    );
  }

  private affords(cost: number): boolean | Promise<boolean> {
    return cost <= this.parts.charged.hold.amount || this.grow(cost);
  }

  private async grow(cost: number): Promise<boolean> {
    const { hold } = this.parts.charged;
    for (const amount of [Math.ceil(cost * RESERVE), cost]) {
      // Billing may be unreachable; then no more quota can be leased.
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

  /**
   * Adds one charge: for the given answer, or, without `id`, for all that did not end. Without stated usage and without
   * output there is no charge.
   */
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
    const [input, spoken, tools] = await Promise.all(
      [texts.input, texts.spoken, this.meter.toolTexts()].map((text) => tokens.count(text, call.model, call.user.id)),
    );
    return this.meter.estimate({ input: input ?? 0, spoken: spoken ?? 0, tools: tools ?? 0 }, id);
  }

  /** Records what would be charged if the process died now, while an answer is in progress. */
  async noteProgress(): Promise<void> {
    if (this.meter.hasSpoken()) await this.recordRunning();
  }

  private recordRunning(): Promise<void> {
    return this.record({ ...this.counted(this.running()), usageSource: 'estimated' });
  }

  /** The first record is complete; later ones only state what changed. */
  private async record(counted: Counted): Promise<void> {
    const { call, charged, route, settlement } = this.parts;
    if (this.opening === undefined) {
      this.opening = settlement.open(call, charged, route, counted);
      // After a write that the disk refused, the next record is the first one.
      this.opening.catch(() => (this.opening = undefined));
      return this.opening;
    }
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
   * Writes the final record. Unless this relay interrupted the session, unfinished answers are charged for their output
   * and for the input they read. Sound that was transcribed without a stated usage, and is not part of an answer, is
   * charged too.
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
