import { Inject, Injectable } from '@nestjs/common';
import { Clock, type Env, Host, InternalClient, KeyValue, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import { Spool } from '../spool/spool.js';
import type { AccountBlock } from './account-block.js';
import { CostMemory, type KnownCost } from './cost-memory.js';
import { floorOf, leastAloneOf, sizeOf } from './hold-size.js';
import { type Hold, HoldRefused, type HoldRequest } from './hold.js';
import type { LeaseResult } from './lease-client.js';
import { Leases, type Pair } from './leases.js';
import { OpenHold } from './open-hold.js';
import { PromptOverheads } from './prompt-overheads.js';
import { HoldReleases } from './hold-releases.js';

/**
 * How long a hold waits for quota of other replicas while nothing changes on its account, in milliseconds; then it is
 * refused.
 */
const PATIENCE_MS = 2000;
/** The same for quota that is held by requests of this replica. */
const OWN_PATIENCE_MS = 10_000;
const MAX_WAIT_MS = 30_000;
/**
 * The most that one pause between two tries counts as waiting, in milliseconds: a process that got no CPU for longer
 * could not see what changed meanwhile.
 */
const CHECK_MS = 500;

/** The state of one account of a pair, for a hold that does not fit. */
interface Leg {
  block: AccountBlock;
  /** Units that are idle here or available from billing. */
  left: number;
  /**
   * Units that other replicas have and did not spend, and units that this replica returned without billing having
   * counted them yet.
   */
  elsewhere: number;
}

/** A request that waits for quota, with the time since its account last changed. */
interface Waiter {
  original: HoldRequest;
  /** `original` with the upstream's overhead, as far as it is known by now. */
  request: HoldRequest;
  since: number;
  state: string;
  touchedAt: number;
  checkedAt: number;
  quietMs: number;
}

/**
 * Admits requests by the quota that billing has leased to this replica. With a sufficient block in memory no other
 * service is called. Wallet and token budget are held together or not at all. docs/overdraft.md explains the size of a
 * hold.
 */
@Injectable()
export class Budget {
  private readonly leases: Leases;
  private readonly costs = new CostMemory();
  private readonly overheads = new PromptOverheads();
  private readonly releases = new HoldReleases();
  /** Accounts with a running call that may cost more than its hold, because no call of its shape has ended yet. */
  private readonly unsure = new Set<AccountBlock>();
  private readonly isStrict: boolean;
  private heldUnits = 0;
  private openHolds = 0;
  /** The highest cost of the prompts of last calls that run here; this is the current bound of docs/overdraft.md. */
  private overdraftBound = 0;

  constructor(
    internal: InternalClient,
    private readonly clock: Clock,
    logger: Logger,
    @Inject(Spool) spool: Pick<Spool, 'noteEpoch' | 'endEpoch' | 'finishedEpochs' | 'forgetEpochs'>,
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

  /**
   * Holds the whole bound where the local block has it. `undefined` when billing must be called, or other holds must
   * end first.
   */
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

  /**
   * Throws `HoldRefused` when the account has nothing to spend at all; quota that is held or leased counts as
   * available.
   */
  async requireFunds(account: Pick<HoldRequest, 'userId' | 'tokenId'>): Promise<void> {
    const pair = this.leases.pairOf(account);
    if (this.leases.fits(pair, 1)) return;
    const result = await this.leases.acquire(pair, 1);
    // Billing has expired the epoch and said nothing about the account.
    if (!result) return this.requireFunds(account);
    const { walletQuota, tokenQuota } = result;
    if (account.tokenId > 0 && tokenQuota <= 0) throw new HoldRefused('token', walletQuota, tokenQuota);
    if (walletQuota <= 0) throw new HoldRefused('wallet', walletQuota, tokenQuota);
  }

  /** Units without which the request is refused, as far as is known by now. */
  leastOf(request: HoldRequest): number {
    return leastAloneOf(this.isFirst(request) ? request : this.expected(request));
  }

  /**
   * Whether the upstream's overhead for such requests is still unknown. Strict mode never depends on observed
   * overheads.
   */
  private isFirst(request: HoldRequest): boolean {
    return !this.isStrict && request.mostOverhead !== undefined && this.overheads.of(request.shape) === undefined;
  }

  /**
   * The request with the upstream's overhead included: the observed one if there is one, otherwise the highest
   * possible; in strict mode always the worst case.
   */
  private expected(request: HoldRequest): HoldRequest {
    if (!request.mostOverhead) return request;
    const seen = this.isStrict ? request.worstOverhead?.() : this.overheads.of(request.shape);
    const overhead = seen ?? request.mostOverhead();
    if (overhead === 0) return request;
    const { least, most } = request;
    const leastAlone = leastAloneOf(request) + overhead;
    const costOf = (outputTokens: number): number => request.costOf(outputTokens) + overhead;
    return { ...request, least: least + overhead, leastAlone, most: most + overhead, costOf, overhead };
  }

  private async holdWhenPossible(request: HoldRequest): Promise<Hold> {
    const now = this.clock.monotonic();
    const nothingSeen = { state: '', touchedAt: now, checkedAt: now, quietMs: 0 };
    const waiter: Waiter = { original: request, request, since: now, ...nothingSeen };
    for (;;) {
      const hold = await this.tryToHold(waiter);
      if (hold) return hold;
    }
  }

  /**
   * Tries once to hold. `undefined` when the account has changed or may have changed, so that the caller tries again.
   */
  private async tryToHold(waiter: Waiter): Promise<Hold | undefined> {
    const request = this.expected(waiter.original);
    const pair = this.leases.pairOf(request);
    const whole = this.placeIfFits(pair, request, { amount: request.most });
    if (whole) return whole;
    const result = await this.leases.acquire(pair, request.most);
    if (!result || result.outcome === 'granted' || this.leases.fits(pair, request.most)) return undefined;
    waiter.request = request;
    return this.isFirst(waiter.original) ? this.holdUnsure(waiter, pair, result) : this.holdLess(waiter, pair, result);
  }

  /**
   * The account may not suffice for the upstream's overhead, and it is not known yet whether there is any. Only one
   * such call runs at a time; when it has ended, the overhead is known to the others.
   */
  private async holdUnsure(waiter: Waiter, pair: Pair, result: LeaseResult): Promise<Hold | undefined> {
    const { original, request } = waiter;
    const short = legsOf(pair, result).filter(({ left }) => left < request.most);
    if (short.some(({ block }) => this.unsure.has(block)) && !this.isOutOfPatience(waiter, short, result)) {
      await this.releases.next(original.userId);
      return undefined;
    }
    const marked = short.map(({ block }) => block).filter((block) => !this.unsure.has(block));
    for (const block of marked) this.unsure.add(block);
    const unmark = (): void => marked.forEach((block) => this.unsure.delete(block));
    waiter.request = original;
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

  /**
   * Used when the whole bound does not fit: holds a part of it where that is allowed, otherwise waits, otherwise admits
   * the request as the last call.
   */
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
    // The missing quota does not come back in time: a replica died, or its calls take long. What is left here may still
    // be enough.
    if (left >= leastAloneOf(request) && isUnused(short)) return this.take(pair, request, Math.min(left, request.most));
    if (this.isStrict || !known || known.cost > left || !isUnused(short)) throw refusal(result, legs, short);
    return this.takeLast(pair, request, { amount: Math.min(left, request.most), known, short });
  }

  /** Running and waiting requests of the user on this replica, without the calling one. */
  private othersOf({ wallet, userId }: Pair): number {
    return wallet.open + this.releases.waitingOf(userId) - 1;
  }

  private isOutOfPatience(waiter: Waiter, short: readonly Leg[], result: LeaseResult): boolean {
    const now = this.clock.monotonic();
    const state = stateOf(result);
    // A hold that was placed or settled here since the last try is progress, just like one at another replica.
    const touchedAt = Math.max(waiter.touchedAt, ...short.map(({ block }) => block.touchedAt));
    const hasMoved = state !== waiter.state || touchedAt > waiter.touchedAt;
    const quietMs = hasMoved ? 0 : waiter.quietMs + Math.min(now - waiter.checkedAt, CHECK_MS);
    Object.assign(waiter, { state, touchedAt, checkedAt: now, quietMs });
    const patience = short.some(({ block }) => block.held > 0) ? OWN_PATIENCE_MS : PATIENCE_MS;
    return quietMs > patience || now - waiter.since > MAX_WAIT_MS;
  }

  /**
   * Holds less than the bound, from the local block and from billing. `undefined` when other requests took the quota
   * first.
   */
  private async take(pair: Pair, request: HoldRequest, amount: number): Promise<OpenHold | undefined> {
    await this.requestQuota(pair, amount);
    return this.placeIfFits(pair, request, { amount });
  }

  /** Holds all that is left, for a call that by experience costs no more, and that runs alone on this quota. */
  private async takeLast(
    pair: Pair,
    request: HoldRequest,
    { amount, known, short }: { amount: number; known: KnownCost; short: readonly Leg[] },
  ): Promise<OpenHold | undefined> {
    await this.requestQuota(pair, amount);
    return isUnused(short) ? this.placeIfFits(pair, request, { amount, known }) : undefined;
  }

  private async requestQuota(pair: Pair, amount: number): Promise<void> {
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

/** Adds what a recall returned while billing's reply was on its way, which the reply does not count yet. */
function legOf(block: AccountBlock, reported: { returned: number }, available: number, others: number): Leg {
  return { block, left: block.idle + available, elsewhere: others + Math.max(0, block.returned - reported.returned) };
}

/** Whether the missing quota is in use elsewhere: in an open hold here, or at another replica. */
const isContended = ({ block, elsewhere }: Leg): boolean => block.held > 0 || elsewhere > 0;

/** A last call must be the only one on the quota that it takes. */
const isUnused = (legs: readonly Leg[]): boolean => legs.every(({ block }) => block.held === 0);

/** The part of an account's state that changes when other replicas finish requests. */
const stateOf = ({ walletElsewhere, tokenElsewhere, walletQuota, tokenQuota }: LeaseResult): string =>
  [walletElsewhere, tokenElsewhere, walletQuota, tokenQuota].join();

/** The refusal names the account that lacks quota; if both do, the one with less. */
function refusal({ walletQuota, tokenQuota }: LeaseResult, legs: readonly Leg[], short: readonly Leg[]): HoldRefused {
  const lacks = (kind: AccountBlock['kind']): boolean => short.some(({ block }) => block.kind === kind);
  const leftOf = (kind: AccountBlock['kind']): number =>
    Math.max(0, legs.find(({ block }) => block.kind === kind)?.left ?? 0);
  const isToken = lacks('token') && (!lacks('wallet') || tokenQuota <= walletQuota);
  const left = { wallet: leftOf('wallet'), token: leftOf('token') };
  return new HoldRefused(isToken ? 'token' : 'wallet', walletQuota, tokenQuota, left);
}
