import { Inject, Injectable } from '@nestjs/common';
import { syncLeases } from '@tollgate/contracts';
import {
  Clock,
  InternalClient,
  KeyValue,
  Lifecycle,
  Logger,
  lookAgainChannel,
  Metrics,
  periodically,
} from '@tollgate/platform';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import { AccountBlock } from './account-block.js';
import { Spool } from '../spool/spool.js';
import { CostMemory, type RequestShape } from './cost-memory.js';
import { LeaseClient, type LeaseResult } from './lease-client.js';

const HEARTBEAT_MS = 5000;
const IDLE_MS = 5000;
/** A lease is not used longer than this after the last heartbeat that was sent. */
const STALE_MS = 20_000;
/** When nothing moves on the account for so long, a hold that others stand in the way of is refused. */
const PATIENCE_MS = 2000;
const MAX_WAIT_MS = 30_000;
const RETRY_MS = 25;
/** As many accounts as one heartbeat may name. */
const REPORT_ACCOUNTS = 5000;

export interface HoldRequest {
  userId: number;
  /** 0: only the wallet pays (playground, unlimited token). */
  tokenId: number;
  amount: number;
  shape: RequestShape;
}

export interface Hold {
  readonly epoch: string;
  readonly amount: number;
  /** Replaces the hold by the actual cost; 0 releases it. Only the first call counts. */
  settle(actual: number): void;
}

/** Why a hold was refused, with the numbers that the documented texts show. */
export class HoldRefused extends Error {
  constructor(
    readonly reason: 'wallet' | 'token' | 'busy',
    readonly walletQuota: number,
    readonly tokenQuota: number,
  ) {
    super(`hold refused: ${reason}`);
  }
}

interface Epoch {
  readonly id: string;
  readonly blocks: Map<string, AccountBlock>;
}

interface Pair {
  epoch: Epoch;
  wallet: AccountBlock;
  token: AccountBlock | undefined;
}

/**
 * Admission by quota that billing has leased to this replica. Warm requests touch memory only; wallet and token budget are
 * held together or not at all. Nothing here is trusted to be right for ever: billing's counters are, and they are cumulative.
 */
@Injectable()
export class Budget {
  private epoch: Epoch = newEpoch();
  private readonly leases: LeaseClient;
  private readonly costs = new CostMemory();
  private readonly acquiring = new Map<string, Promise<LeaseResult>>();
  private readonly releases = new Map<number, Set<() => void>>();
  private lastHeartbeat: number;
  private readonly syncSoon: () => void;
  private readonly heldUnits: { inc(by: number): void };
  private readonly openHolds: { inc(by: number): void };

  constructor(
    private readonly internal: InternalClient,
    private readonly clock: Clock,
    private readonly logger: Logger,
    @Inject(Spool) private readonly spool: Pick<Spool, 'noteEpoch' | 'finishedEpochs' | 'forgetEpochs'>,
    @Inject(KeyValue) keyValue: Pick<KeyValue, 'subscribe'>,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    this.leases = new LeaseClient(
      internal,
      () => this.epoch.id,
      () => this.renew(),
    );
    this.lastHeartbeat = clock.monotonic();
    spool.noteEpoch(this.epoch.id);
    this.syncSoon = periodically({ lifecycle, logger }, 'lease heartbeat', HEARTBEAT_MS, () => this.sync());
    lifecycle.onDrain(() => this.returnEverything());
    lifecycle.onReady(async () => {
      lifecycle.onDrain(await keyValue.subscribe(lookAgainChannel('lease-recall'), (account) => this.recall(account)));
    });
    this.openHolds = metrics.gauge('tollgate_relay_open_holds', 'Running requests that quota is set aside for.');
    this.heldUnits = metrics.gauge(
      'tollgate_relay_held_quota_units',
      'Quota units of wallets set aside for running requests.',
    );
  }

  /** Throws `HoldRefused`. Waits for other open holds of the account as long as they keep ending. */
  async hold(request: HoldRequest): Promise<Hold> {
    const started = this.clock.monotonic();
    let news = { state: '', at: started };
    for (;;) {
      const pair = this.pairOf(request);
      if (this.fits(pair, request.amount)) return this.place(pair, request, request.amount);
      const result = await this.acquire(pair, request);
      const looksAgain = this.epoch !== pair.epoch || result.outcome === 'granted' || this.fits(pair, request.amount);
      if (looksAgain) continue;
      if (!isContended(pair, result)) return await this.lastCall(pair, request, result);
      const now = this.clock.monotonic();
      const state = stateOf(result);
      if (state !== news.state) news = { state, at: now };
      // A hold that was placed or settled meanwhile is progress, here as at any other replica.
      const lastProgress = Math.max(news.at, pair.wallet.touchedAt);
      if (now - lastProgress > PATIENCE_MS || now - started > MAX_WAIT_MS) {
        // Whoever has the rest keeps it: a replica that died, or calls that take long. What is left may still be enough.
        if (pair.wallet.held === 0) return await this.lastCall(pair, request, result);
        throw this.refusal(result, request);
      }
      await this.release(request.userId);
    }
  }

  /** Ends what was placed under an epoch billing has forgotten; blocks start anew. */
  private renew(): void {
    this.logger.warn('billing does not know this replica any more; leases start anew', { epoch: this.epoch.id });
    this.epoch = newEpoch();
    this.spool.noteEpoch(this.epoch.id);
  }

  private pairOf({ userId, tokenId }: HoldRequest): Pair {
    const wallet = this.block('wallet', userId);
    return { epoch: this.epoch, wallet, token: tokenId > 0 ? this.block('token', tokenId) : undefined };
  }

  private block(kind: 'wallet' | 'token', id: number): AccountBlock {
    const key = `${kind}:${id}`;
    let block = this.epoch.blocks.get(key);
    if (!block) {
      block = new AccountBlock(kind, id, this.clock.monotonic());
      this.epoch.blocks.set(key, block);
    }
    return block;
  }

  private fits({ wallet, token }: Pair, amount: number): boolean {
    if (this.clock.monotonic() - this.lastHeartbeat > STALE_MS) return false;
    return wallet.idle >= amount && (token === undefined || token.idle >= amount);
  }

  private place({ epoch, wallet, token }: Pair, { userId, shape }: HoldRequest, amount: number): Hold {
    const now = this.clock.monotonic();
    wallet.place(amount, now);
    token?.place(amount, now);
    this.heldUnits.inc(amount);
    this.openHolds.inc(1);
    let open = true;
    return {
      epoch: epoch.id,
      amount,
      settle: (actual) => {
        if (!open) return;
        open = false;
        this.heldUnits.inc(-amount);
        this.openHolds.inc(-1);
        const at = this.clock.monotonic();
        wallet.settle(amount, actual, at);
        token?.settle(amount, actual, at);
        if (actual > 0) this.costs.note(shape, actual);
        this.notifyRelease(userId);
      },
    };
  }

  /** One request to billing at a time for a pair; the others wait for its answer and look again. */
  private async acquire(pair: Pair, request: HoldRequest): Promise<LeaseResult> {
    const key = `${request.userId}:${request.tokenId}`;
    const running = this.acquiring.get(key);
    if (running) return running;
    const asking = this.ask(pair, request, request.amount).finally(() => this.acquiring.delete(key));
    this.acquiring.set(key, asking);
    return asking;
  }

  private async ask(pair: Pair, { userId, tokenId }: HoldRequest, amount: number): Promise<LeaseResult> {
    const { wallet, token } = pair;
    if (this.clock.monotonic() - this.lastHeartbeat > STALE_MS) await this.sync();
    const result = await this.leases.acquire({
      userId,
      tokenId,
      walletNeed: Math.max(0, amount - wallet.idle),
      tokenNeed: token ? Math.max(0, amount - token.idle) : 0,
      wallet: countersOf(wallet),
      token: countersOf(token),
    });
    wallet.learn(result.wallet);
    token?.learn(result.token);
    return result;
  }

  /**
   * The full hold does not fit, nothing else runs here on this wallet, and waiting for others is of no use. When requests of this
   * shape are known to cost no more than what is left, this one may have all of it, alone.
   */
  private async lastCall(pair: Pair, request: HoldRequest, result: LeaseResult): Promise<Hold> {
    const { wallet, token } = pair;
    const left = Math.min(
      wallet.idle + result.walletAvailable,
      token ? token.idle + result.tokenAvailable : Infinity,
      request.amount,
    );
    const expected = this.costs.expected(request.shape);
    if (expected === undefined || expected > left) throw this.refusal(result, request);
    const key = `${request.userId}:${request.tokenId}`;
    const running = this.acquiring.get(key);
    if (running) await running;
    else {
      const asking = this.ask(pair, request, left).finally(() => this.acquiring.delete(key));
      this.acquiring.set(key, asking);
      await asking;
    }
    if (this.epoch !== pair.epoch || wallet.held > 0 || !this.fits(pair, left)) return this.hold(request);
    return this.place(pair, request, left);
  }

  private refusal({ outcome, walletQuota, tokenQuota }: LeaseResult, { amount, tokenId }: HoldRequest): HoldRefused {
    if (outcome === 'short-token') return new HoldRefused('token', walletQuota, tokenQuota);
    if (outcome === 'short-wallet') return new HoldRefused('wallet', walletQuota, tokenQuota);
    const tokenShort = tokenId > 0 && tokenQuota < amount && tokenQuota <= walletQuota;
    return new HoldRefused(tokenShort ? 'token' : 'wallet', walletQuota, tokenQuota);
  }

  /** Until a hold of the user ended, or for a short pause. */
  private release(userId: number): Promise<void> {
    return new Promise((resolve) => {
      const listeners = this.releases.get(userId) ?? new Set();
      this.releases.set(userId, listeners);
      const wake = (): void => {
        clearTimeout(timer);
        listeners.delete(wake);
        if (listeners.size === 0) this.releases.delete(userId);
        resolve();
      };
      const timer = setTimeout(wake, RETRY_MS);
      listeners.add(wake);
    });
  }

  private notifyRelease(userId: number): void {
    for (const wake of [...(this.releases.get(userId) ?? [])]) wake();
  }

  /** Another replica waits for quota of this account (`wallet:7`): what lies idle here goes back, what is spent is told, at once. */
  private recall(account: string): void {
    if (this.epoch.blocks.get(account)?.recall()) this.syncSoon();
  }

  private async sync(): Promise<void> {
    const sentAt = this.clock.monotonic();
    const { epoch } = this;
    for (const block of epoch.blocks.values()) if (sentAt - block.touchedAt > IDLE_MS) block.giveBack();
    const recovered = this.spool.finishedEpochs();
    const { alive, recall } = await this.report(epoch, recovered);
    this.lastHeartbeat = sentAt;
    if (!alive) {
      if (epoch === this.epoch) this.renew();
      return;
    }
    this.spool.forgetEpochs(recovered);
    this.forgetQuietBlocks(epoch, sentAt);
    let recalled = false;
    for (const { kind, id } of recall) recalled = (epoch.blocks.get(`${kind}:${id}`)?.recall() ?? false) || recalled;
    if (recalled) this.syncSoon();
  }

  /** Tells billing what was returned since it last heard, and what is spent where others wait, in as many messages as that needs. */
  private async report(epoch: Epoch, recovered: string[]): Promise<z.output<typeof syncLeases.output>> {
    const blocks = [...epoch.blocks.values()];
    const news = blocks.filter(({ hasNews }) => hasNews);
    // An epoch that names no lease at all is taken for a new one, so one that has some names one.
    const told = news.length > 0 ? news : blocks.slice(0, 1);
    const recall = [];
    let from = 0;
    do {
      const part = told.slice(from, from + REPORT_ACCOUNTS);
      const accounts = part.map(({ kind, id, returned, used }) => ({ kind, id, returned, used }));
      const reply = await this.internal.call(syncLeases, { replicaEpoch: epoch.id, accounts, recovered });
      if (!reply.alive) return reply;
      part.forEach((block, index) => block.told(accounts[index] ?? block));
      recall.push(...reply.recall);
      from += REPORT_ACCOUNTS;
    } while (from < told.length);
    return { alive: true, recall };
  }

  /** A block with nothing left in it and nothing running keeps its counters for an hour, for replies still under way. */
  private forgetQuietBlocks(epoch: Epoch, now: number): void {
    for (const [key, block] of epoch.blocks) {
      if (block.held === 0 && block.granted === 0 && now - block.touchedAt > 3_600_000) epoch.blocks.delete(key);
    }
  }

  private async returnEverything(): Promise<void> {
    const { epoch } = this;
    for (const block of epoch.blocks.values()) block.giveBack();
    if (epoch.blocks.size > 0) await this.report(epoch, []);
  }
}

const countersOf = (block: AccountBlock | undefined): { granted: number; returned: number; used: number } => ({
  granted: block?.granted ?? 0,
  returned: block?.returned ?? 0,
  used: block?.used ?? 0,
});

/** Whether somebody else has what a hold lacks: an open hold here, or another replica. */
const isContended = ({ wallet, token }: Pair, { walletElsewhere, tokenElsewhere }: LeaseResult): boolean =>
  wallet.held > 0 || (token !== undefined && token.held > 0) || walletElsewhere > 0 || tokenElsewhere > 0;

/** What of an account changes when another replica gets on with its requests. */
const stateOf = ({ walletElsewhere, tokenElsewhere, walletQuota, tokenQuota }: LeaseResult): string =>
  [walletElsewhere, tokenElsewhere, walletQuota, tokenQuota].join();

const newEpoch = (): Epoch => ({ id: uuidv7(), blocks: new Map() });
