import { Inject, Injectable } from '@nestjs/common';
import { Clock, type Env, Host, InternalClient, KeyValue, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import { Spool } from '../spool/spool.js';
import type { AccountBlock } from './account-block.js';
import { CostMemory, type KnownCost } from './cost-memory.js';
import { floorOf, sizeOf } from './hold-size.js';
import { type Hold, HoldRefused, type HoldRequest } from './hold.js';
import type { LeaseResult } from './lease-client.js';
import { Leases, type Pair } from './leases.js';
import { OpenHold } from './open-hold.js';
import { PromptOverheads } from './prompt-overheads.js';
import { HoldReleases } from './hold-releases.js';

/** How long a hold waits, without anything changing on its account, for quota that other replicas have; then it is refused. */
const PATIENCE_MS = 2000;
/** The same for quota that is held by requests of this replica. */
const OWN_PATIENCE_MS = 10_000;
const MAX_WAIT_MS = 30_000;
/** The most that one pause between two looks counts as waiting: a process that got no CPU has not seen what changed meanwhile. */
const LOOK_MS = 500;

/** One account of a pair, as a hold that does not fit sees it. */
interface Leg {
  block: AccountBlock;
  /** Idle here, or to be had from billing. */
  left: number;
  /** With other replicas and not spent, or given back by this one and not yet heard of by billing. */
  elsewhere: number;
}

/** Who waits, since when, and how long nothing has moved. */
interface Waiter {
  asked: HoldRequest;
  /** The same with what is known by now of its upstream. */
  request: HoldRequest;
  since: number;
  state: string;
  touchedAt: number;
  lookedAt: number;
  quietMs: number;
}

/**
 * Admission by quota that billing has leased to this replica. Warm requests touch memory only; wallet and token budget are
 * held together or not at all. What a hold is for: see docs/overdraft.md.
 */
@Injectable()
export class Budget {
  private readonly leases: Leases;
  private readonly costs = new CostMemory();
  private readonly overheads = new PromptOverheads();
  private readonly releases = new HoldReleases();
  /** Accounts on which a call runs that may cost more than what is held for it, because none of its shape has ended yet. */
  private readonly unsure = new Set<AccountBlock>();
  private readonly isStrict: boolean;
  private heldUnits = 0;
  private openHolds = 0;
  /** What prompts of last calls that run here cost at most, which is the bound of docs/overdraft.md at this moment. */
  private overdraftBound = 0;

  constructor(
    internal: InternalClient,
    private readonly clock: Clock,
    logger: Logger,
    @Inject(Spool) spool: Pick<Spool, 'noteEpoch' | 'finishedEpochs' | 'forgetEpochs'>,
    @Inject(KeyValue) keyValue: Pick<KeyValue, 'subscribe'>,
    lifecycle: Lifecycle,
    metrics: Metrics,
    @Inject(Host) host: { env: Pick<Env, 'TOLLGATE_OVERDRAFT'> },
  ) {
    this.leases = new Leases({ internal, clock, logger, spool, keyValue, lifecycle });
    this.isStrict = host.env.TOLLGATE_OVERDRAFT === 'never';
    metrics.reading('tollgate_relay_open_holds', 'Running requests that quota is set aside for.', () => this.openHolds);
    metrics.reading(
      'tollgate_relay_held_quota_units',
      'Quota units of wallets set aside for running requests.',
      () => this.heldUnits,
    );
    metrics.reading(
      'tollgate_relay_overdraft_bound_units',
      'Quota units by which wallets and budgets of tokens can fall below zero through the last calls that run here.',
      () => this.overdraftBound,
    );
  }

  /** The whole bound, where the local block has it. Undefined: somebody must be asked, or waited for. */
  holdAtOnce(request: HoldRequest): Hold | undefined {
    const pair = this.leases.pairOf(request);
    const expected = this.expected(request);
    const hold = this.placeIfFits(pair, expected, { amount: expected.most });
    if (hold) this.leases.lookAhead(pair, expected.most);
    return hold;
  }

  /** Throws `HoldRefused`. Waits for other open holds of the account as long as they keep ending. */
  async hold(request: HoldRequest): Promise<Hold> {
    const hold = this.holdAtOnce(request);
    return hold ?? this.releases.asWaiting(request.userId, () => this.holdWhenPossible(request));
  }

  /** Throws `HoldRefused` when there is nothing at all to spend; what others hold at the moment counts as there. */
  async requireFunds(account: Pick<HoldRequest, 'userId' | 'tokenId'>): Promise<void> {
    const pair = this.leases.pairOf(account);
    if (this.leases.fits(pair, 1)) return;
    const { walletQuota, tokenQuota } = await this.leases.acquire(pair, 1);
    if (account.tokenId > 0 && tokenQuota <= 0) throw new HoldRefused('token', walletQuota, tokenQuota);
    if (walletQuota <= 0) throw new HoldRefused('wallet', walletQuota, tokenQuota);
  }

  /** Units without which the request is refused, as far as it is known by now. */
  leastOf(request: HoldRequest): number {
    return this.isFirst(request) ? request.least : this.expected(request).least;
  }

  /** Whether nobody knows yet what the upstream adds to such a request. In strict mode nobody goes by that. */
  private isFirst(request: HoldRequest): boolean {
    return !this.isStrict && request.mostOverhead !== undefined && this.overheads.of(request.shape) === undefined;
  }

  /** The request with what the upstream adds before the prompt: what it was seen to add, else the most that can be; in strict mode always the worst. */
  private expected(request: HoldRequest): HoldRequest {
    if (!request.mostOverhead) return request;
    const seen = this.isStrict ? request.worstOverhead?.() : this.overheads.of(request.shape);
    const overhead = seen ?? request.mostOverhead();
    if (overhead === 0) return request;
    const { least, most } = request;
    const costOf = (outputTokens: number): number => request.costOf(outputTokens) + overhead;
    return { ...request, least: least + overhead, most: most + overhead, costOf, overhead };
  }

  private async holdWhenPossible(request: HoldRequest): Promise<Hold> {
    const now = this.clock.monotonic();
    const nothingSeen = { state: '', touchedAt: now, lookedAt: now, quietMs: 0 };
    const waiter: Waiter = { asked: request, request, since: now, ...nothingSeen };
    for (;;) {
      const hold = await this.tryToHold(waiter);
      if (hold) return hold;
    }
  }

  /** One look at what there is. Undefined: something has changed, or may have. */
  private async tryToHold(waiter: Waiter): Promise<Hold | undefined> {
    const request = this.expected(waiter.asked);
    const pair = this.leases.pairOf(request);
    const whole = this.placeIfFits(pair, request, { amount: request.most });
    if (whole) return whole;
    const result = await this.leases.acquire(pair, request.most);
    const looksAgain = !this.leases.isCurrent(pair) || result.outcome === 'granted';
    if (looksAgain || this.leases.fits(pair, request.most)) return undefined;
    waiter.request = request;
    return this.isFirst(waiter.asked) ? this.holdUnsure(waiter, pair, result) : this.holdLess(waiter, pair, result);
  }

  /**
   * The account may be too poor for what the upstream adds, and nobody knows yet whether it adds anything. One such call runs at a time, and when it
   * has ended the others know.
   */
  private async holdUnsure(waiter: Waiter, pair: Pair, result: LeaseResult): Promise<Hold | undefined> {
    const { asked, request } = waiter;
    const short = legsOf(pair, result).filter(({ left }) => left < request.most);
    if (short.some(({ block }) => this.unsure.has(block)) && !this.isOutOfPatience(waiter, short, result)) {
      await this.releases.next(asked.userId);
      return undefined;
    }
    const marked = short.map(({ block }) => block).filter((block) => !this.unsure.has(block));
    for (const block of marked) this.unsure.add(block);
    const unmark = (): void => marked.forEach((block) => this.unsure.delete(block));
    waiter.request = asked;
    try {
      const hold = await this.holdLess(waiter, pair, result);
      if (hold) hold.whenEnded(unmark);
      else unmark();
      return hold;
    } catch (error) {
      unmark();
      throw error;
    }
  }

  /** The whole bound does not fit: a part of it where that is allowed, else wait, else the last call. */
  private async holdLess(waiter: Waiter, pair: Pair, result: LeaseResult): Promise<OpenHold | undefined> {
    const { request } = waiter;
    const known = request.isEndless ? undefined : this.costs.expected(request.shape);
    const legs = legsOf(pair, result);
    const left = Math.min(...legs.map((leg) => leg.left));
    const short = legs.filter((leg) => leg.left < floorOf(request, known));
    const mayWait = !this.isOutOfPatience(waiter, short, result);
    const amount = sizeOf(request, { left, others: this.othersOf(pair), known });
    if (amount !== undefined) return this.take(pair, request, amount);
    if (mayWait && short.every(isContended)) {
      await this.releases.next(request.userId);
      return undefined;
    }
    // Whoever has the rest keeps it: a replica that died, or calls that take long. What is left may still be enough.
    if (this.isStrict || !known || known.cost > left || !isUnused(short)) throw refusal(result, legs, short);
    return this.takeLast(pair, request, { amount: Math.min(left, request.most), known, short });
  }

  /** Running and waiting requests of the user here besides the one that asks. */
  private othersOf({ wallet, userId }: Pair): number {
    return wallet.open + this.releases.waitingOf(userId) - 1;
  }

  private isOutOfPatience(waiter: Waiter, short: readonly Leg[], result: LeaseResult): boolean {
    const now = this.clock.monotonic();
    const state = stateOf(result);
    // A hold that was placed or settled meanwhile is progress, here as at any other replica.
    const touchedAt = Math.max(waiter.touchedAt, ...short.map(({ block }) => block.touchedAt));
    const hasMoved = state !== waiter.state || touchedAt > waiter.touchedAt;
    const quietMs = hasMoved ? 0 : waiter.quietMs + Math.min(now - waiter.lookedAt, LOOK_MS);
    Object.assign(waiter, { state, touchedAt, lookedAt: now, quietMs });
    const patience = short.some(({ block }) => block.held > 0) ? OWN_PATIENCE_MS : PATIENCE_MS;
    return quietMs > patience || now - waiter.since > MAX_WAIT_MS;
  }

  /** Less than the bound, from what lies here and what billing still has. Undefined when somebody else was faster. */
  private async take(pair: Pair, request: HoldRequest, amount: number): Promise<OpenHold | undefined> {
    await this.askFor(pair, amount);
    return this.placeIfFits(pair, request, { amount });
  }

  /** All that is left, for a call that is known to cost no more and runs alone on it. */
  private async takeLast(
    pair: Pair,
    request: HoldRequest,
    { amount, known, short }: { amount: number; known: KnownCost; short: readonly Leg[] },
  ): Promise<OpenHold | undefined> {
    await this.askFor(pair, amount);
    return isUnused(short) ? this.placeIfFits(pair, request, { amount, known }) : undefined;
  }

  private async askFor(pair: Pair, amount: number): Promise<void> {
    if (!this.leases.fits(pair, amount)) await this.leases.acquire(pair, amount);
  }

  private placeIfFits(
    pair: Pair,
    request: HoldRequest,
    terms: { amount: number; known?: KnownCost },
  ): OpenHold | undefined {
    if (!this.leases.fits(pair, terms.amount)) return undefined;
    return this.place(pair, request, terms);
  }

  private place(pair: Pair, request: HoldRequest, terms: { amount: number; known?: KnownCost }): OpenHold {
    const { userId } = request;
    const bound = terms.known ? request.costOf(0) : 0;
    this.openHolds += 1;
    this.overdraftBound += bound;
    const watcher = {
      held: (by: number) => void (this.heldUnits += by),
      settled: (cost: number, outputTokens: number) => {
        this.openHolds -= 1;
        this.overdraftBound -= bound;
        if (cost > 0) this.learn(request, { cost, outputTokens });
        this.releases.notify(userId);
      },
    };
    const { overhead = 0 } = request;
    return new OpenHold(this.leases, pair, { ...terms, overhead }, { clock: this.clock, watcher });
  }

  private learn(request: HoldRequest, ended: KnownCost): void {
    const { shape, overhead = 0, mostOverhead } = request;
    this.costs.note(shape, ended);
    if (!mostOverhead) return;
    const beyond = ended.cost - (request.costOf(ended.outputTokens) - overhead);
    this.overheads.note(shape, beyond > 0 ? Math.min(beyond, mostOverhead()) : 0);
  }
}

function legsOf({ wallet, token }: Pair, result: LeaseResult): Leg[] {
  const legs = [legOf(wallet, result.wallet, result.walletAvailable, result.walletElsewhere)];
  if (token) legs.push(legOf(token, result.token, result.tokenAvailable, result.tokenElsewhere));
  return legs;
}

/** A recall may have sent back what was idle here while billing was being asked. */
function legOf(block: AccountBlock, heard: { returned: number }, available: number, others: number): Leg {
  return { block, left: block.idle + available, elsewhere: others + Math.max(0, block.returned - heard.returned) };
}

/** Whether somebody else has what is lacking: an open hold here, or another replica. */
const isContended = ({ block, elsewhere }: Leg): boolean => block.held > 0 || elsewhere > 0;

/** A last call runs alone on what it takes. */
const isUnused = (legs: readonly Leg[]): boolean => legs.every(({ block }) => block.held === 0);

/** What of an account changes when another replica gets on with its requests. */
const stateOf = ({ walletElsewhere, tokenElsewhere, walletQuota, tokenQuota }: LeaseResult): string =>
  [walletElsewhere, tokenElsewhere, walletQuota, tokenQuota].join();

/** The refusal names the account that lacks; of two the poorer. */
function refusal({ walletQuota, tokenQuota }: LeaseResult, legs: readonly Leg[], short: readonly Leg[]): HoldRefused {
  const lacks = (kind: AccountBlock['kind']): boolean => short.some(({ block }) => block.kind === kind);
  const leftOf = (kind: AccountBlock['kind']): number =>
    Math.max(0, legs.find(({ block }) => block.kind === kind)?.left ?? 0);
  const isToken = lacks('token') && (!lacks('wallet') || tokenQuota <= walletQuota);
  const left = { wallet: leftOf('wallet'), token: leftOf('token') };
  return new HoldRefused(isToken ? 'token' : 'wallet', walletQuota, tokenQuota, left);
}
