import { setTimeout as pause } from 'node:timers/promises';
import { type FundKind, mostRecovered, mostReportedAccounts, syncLeases } from '@tollgate/contracts';
import {
  type Clock,
  type InternalClient,
  type KeyValue,
  type Lifecycle,
  type Logger,
  broadcastChannel,
  inFreshContext,
  periodically,
} from '@tollgate/chassis';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import type { Spool } from '../spool/spool.js';
import { AccountBlock } from './account-block.js';
import { LeaseClient, type LeaseResult } from './lease-client.js';

const HEARTBEAT_MS = 5000;
/** How long a clean stop waits for pending replies of billing, in milliseconds. */
const FAREWELL_MS = 1000;
const IDLE_MS = 5000;
/** Milliseconds after sending the last acknowledged heartbeat during which leases may be used. */
const STALE_MS = 20_000;
/** Commits of billing that are older than this are not lost any more by a fail-over. */
const LOSABLE_MS = 600_000;

/** What belongs to one epoch and must not reach the next: its blocks, and its requests to billing. */
interface Epoch {
  readonly id: string;
  readonly blocks: Map<string, AccountBlock>;
  readonly client: LeaseClient;
  /** By pair. */
  readonly running: Map<string, Promise<LeaseResult | undefined>>;
  /** How many of its heartbeats billing has stored, as it said last. */
  beats: number;
}

type SyncReply = z.output<typeof syncLeases.output>;

/** The wallet and the token budget that pay for one request. */
export interface Pair {
  readonly epoch: Epoch;
  readonly userId: number;
  readonly tokenId: number;
  readonly wallet: AccountBlock;
  readonly token: AccountBlock | undefined;
}

interface LeaseSurroundings {
  internal: InternalClient;
  clock: Clock;
  logger: Logger;
  spool: Pick<Spool, 'noteEpoch' | 'endEpoch' | 'finishedEpochs' | 'forgetEpochs'>;
  keyValue: Pick<KeyValue, 'subscribe'>;
  lifecycle: Lifecycle;
}

/**
 * The blocks of quota that billing has leased to this run of the replica: requests more, returns what is idle, and
 * sends the heartbeat without which the blocks may not be used. Billing's counters are authoritative; all counters are
 * cumulative, so a lost message does no harm.
 */
export class Leases {
  private epoch: Epoch;
  /** Expired epochs under which requests may still run. */
  private readonly ending = new Set<Epoch>();
  /** Past epochs that billing was told lately to be over, by the time of that. */
  private readonly toldOver = new Map<string, number>();
  /** Those of them that billing has to be told again, because its database has lost commits. */
  private overAgain: string[] = [];
  private lastHeartbeat: number;
  private catchingUp: Promise<void> | undefined;
  private readonly syncSoon: () => void;

  constructor(private readonly around: LeaseSurroundings) {
    const { clock, logger, keyValue, lifecycle } = around;
    this.lastHeartbeat = clock.monotonic();
    this.epoch = this.begin();
    this.syncSoon = periodically({ lifecycle, logger }, 'lease heartbeat', HEARTBEAT_MS, () => this.sync());
    lifecycle.onDrain(() => this.returnEverything());
    lifecycle.onReady(async () => {
      lifecycle.onDrain(await keyValue.subscribe(broadcastChannel('lease-recall'), (account) => this.recall(account)));
    });
  }

  pairOf({ userId, tokenId }: { userId: number; tokenId: number }): Pair {
    const wallet = this.block('wallet', userId);
    const token = tokenId > 0 ? this.block('token', tokenId) : undefined;
    return { epoch: this.epoch, userId, tokenId, wallet, token };
  }

  isCurrent({ epoch }: Pair): boolean {
    return epoch === this.epoch;
  }

  /**
   * Whether this amount can be set aside now without calling billing. Quota that is idle under an epoch that billing
   * has expired does not count, since billing gave it back to its wallet.
   */
  fits(pair: Pair, amount: number): boolean {
    if (this.isStale || !this.isCurrent(pair)) return false;
    const { wallet, token } = pair;
    return wallet.idle >= amount && (token === undefined || token.idle >= amount);
  }

  /**
   * Requests the missing amount from billing. Only one request per pair runs at a time; concurrent callers get its
   * reply and then try again. `undefined` when billing has expired the pair's epoch: only a new pair can get quota.
   */
  acquire(pair: Pair, amount: number): Promise<LeaseResult | undefined> {
    return this.once(pair, () => this.requestMissing(pair, amount));
  }

  private once(pair: Pair, send: () => Promise<LeaseResult | undefined>): Promise<LeaseResult | undefined> {
    const { running } = pair.epoch;
    const key = keyOf(pair);
    const earlier = running.get(key);
    if (earlier) return earlier;
    const request = send().finally(() => running.delete(key));
    running.set(key, request);
    return request;
  }

  /**
   * Requests the next grant while the last one lasts, where the account has plenty. No request waits for it. `most` is
   * what one request sets aside.
   */
  lookAhead(pair: Pair, most: number): void {
    const { wallet, token } = pair;
    const isLow = wallet.ahead.isLow || token?.ahead.isLow === true;
    if (isLow && !pair.epoch.running.has(keyOf(pair))) inFreshContext(() => this.requestAhead(pair, most));
  }

  private requestAhead(pair: Pair, most: number): void {
    const { wallet, token } = pair;
    const now = this.around.clock.monotonic();
    const needs = { wallet: wallet.ahead.nextRequest(most, now), token: token?.ahead.nextRequest(most, now) ?? 0 };
    if (needs.wallet + needs.token === 0) return;
    // A failure is ignored: a request that needs the quota calls billing itself and gets the error.
    this.once(pair, () => this.request(pair, needs)).catch(() => undefined);
  }

  private get isStale(): boolean {
    return this.around.clock.monotonic() - this.lastHeartbeat > STALE_MS;
  }

  private async requestMissing(pair: Pair, amount: number): Promise<LeaseResult | undefined> {
    if (this.isStale) await this.catchUp();
    const { wallet, token } = pair;
    return this.request(pair, {
      wallet: Math.max(0, amount - wallet.idle),
      token: token ? Math.max(0, amount - token.idle) : 0,
    });
  }

  private async request(pair: Pair, need: { wallet: number; token: number }): Promise<LeaseResult | undefined> {
    const { userId, tokenId, wallet, token } = pair;
    const counters = { wallet: countersOf(wallet), token: countersOf(token) };
    const asked = { userId, tokenId, walletNeed: need.wallet, tokenNeed: need.token, ...counters };
    const result = await pair.epoch.client.acquire(asked).catch((error: unknown) => {
      wallet.doubt();
      token?.doubt();
      throw error;
    });
    // A heartbeat may have told in the meantime that the epoch is over.
    if (!result || !this.isCurrent(pair)) return undefined;
    const observed = { now: this.around.clock.monotonic(), isGranted: result.outcome === 'granted' };
    learn(wallet, result.wallet, { ...observed, need: need.wallet, available: result.walletAvailable });
    if (token) learn(token, result.token, { ...observed, need: need.token, available: result.tokenAvailable });
    return result;
  }

  /** After an outage of billing all requests wait for one shared heartbeat. */
  private catchUp(): Promise<void> {
    this.catchingUp ??= this.sync().finally(() => (this.catchingUp = undefined));
    return this.catchingUp;
  }

  private block(kind: FundKind, id: number): AccountBlock {
    const key = `${kind}:${id}`;
    let block = this.epoch.blocks.get(key);
    if (!block) {
      block = new AccountBlock(kind, id, this.around.clock.monotonic());
      this.epoch.blocks.set(key, block);
    }
    return block;
  }

  /** A new epoch with empty blocks. The spool knows it before anything is lent to it. */
  private begin(): Epoch {
    const { internal, spool } = this.around;
    const id = uuidv7();
    const isCurrent = (): boolean => this.epoch.id === id;
    const client = new LeaseClient(internal, { id, isCurrent, onExpired: () => this.renew(id) });
    spool.noteEpoch(id);
    return { id, blocks: new Map(), client, running: new Map(), beats: 0 };
  }

  /**
   * Starts a new epoch after billing expired this one. Holds of the old epoch can no longer grow. Several replies may
   * tell of the same expiry, the last ones when the new epoch has leases already.
   */
  private renew(expired: string): void {
    if (expired !== this.epoch.id) return;
    this.around.logger.warn('billing does not know this replica any more; leases start anew', { epoch: expired });
    this.ending.add(this.epoch);
    this.epoch = this.begin();
  }

  /** What billing lent to an expired epoch comes back once all that its requests cost is booked. */
  private endQuietEpochs(): void {
    // A billing of the previous release counts no heartbeats, and would not wait for what was sent after the expiry.
    if (this.epoch.beats === 0) return;
    for (const epoch of this.ending) {
      if ([...epoch.blocks.values()].some(({ open }) => open > 0)) continue;
      this.ending.delete(epoch);
      this.around.spool.endEpoch(epoch.id);
    }
  }

  /**
   * Another replica waits for quota of this account (`wallet:7`): returns what is idle and reports what is spent, at
   * once.
   */
  private recall(account: string): void {
    if (this.epoch.blocks.get(account)?.recall()) this.syncSoon();
  }

  private async sync(): Promise<void> {
    const { clock, spool } = this.around;
    const sentAt = clock.monotonic();
    const { epoch } = this;
    for (const block of epoch.blocks.values()) if (sentAt - block.touchedAt > IDLE_MS) block.giveBack();
    this.endQuietEpochs();
    const recovered = [...new Set([...this.overAgain, ...spool.finishedEpochs()])].slice(0, mostRecovered);
    const { alive, recall } = await this.report(epoch, recovered);
    this.lastHeartbeat = sentAt;
    if (!alive) return this.renew(epoch.id);
    this.forgetOver(recovered, sentAt);
    forgetQuietBlocks(epoch, sentAt);
    const recalled = recall.flatMap(({ kind, id }) => epoch.blocks.get(`${kind}:${id}`) ?? []);
    const silent = recalled.filter((block) => !block.recall());
    for (const block of silent) block.doubt();
    if (silent.length < recalled.length) this.syncSoon();
  }

  /** Forgets the epochs that billing knows to be over; after a while not even a fail-over can lose them. */
  private forgetOver(told: readonly string[], now: number): void {
    this.around.spool.forgetEpochs(told);
    this.overAgain = this.overAgain.filter((epoch) => !told.includes(epoch));
    for (const epoch of told) this.toldOver.set(epoch, now);
    for (const [epoch, at] of this.toldOver) if (now - at > LOSABLE_MS) this.toldOver.delete(epoch);
  }

  /**
   * Reports to billing what was granted and returned since the last report, and what is spent on accounts that others
   * wait for; in several messages if necessary.
   */
  private async report(epoch: Epoch, recovered: string[]): Promise<Pick<SyncReply, 'alive' | 'recall'>> {
    const blocks = [...epoch.blocks.values()];
    const unreported = blocks.filter(({ hasUnreported }) => hasUnreported);
    // Billing takes an epoch that names no lease for a new one, and an unknown one that names any for one that it has
    // forgotten. So at least one lease is named if there is any.
    const isNamed = unreported.some(({ granted }) => granted > 0);
    const reported = isNamed ? unreported : [...blocks.filter(({ granted }) => granted > 0).slice(0, 1), ...unreported];
    const recall = [];
    let from = 0;
    do {
      const part = reported.slice(from, from + mostReportedAccounts);
      const told = part.map((block) => ({ block, ...block.report() }));
      const accounts = told.map(({ block: { kind, id }, doubts: _, ...counters }) => ({ kind, id, ...counters }));
      const { id: replicaEpoch, beats } = epoch;
      const reply = await this.around.internal.call(syncLeases, { replicaEpoch, beats, accounts, recovered });
      if (!reply.alive) return reply;
      for (const { block, ...reported } of told) block.markReported(reported);
      this.heed(epoch, reply, beats);
      recall.push(...reply.recall);
      from += mostReportedAccounts;
    } while (from < reported.length);
    return { alive: true, recall };
  }

  /** Learns of grants whose replies were lost, and whether billing has lost what it was told. */
  private heed(epoch: Epoch, { beats, lent }: SyncReply, beatsBefore: number): void {
    for (const { kind, id, granted } of lent) epoch.blocks.get(`${kind}:${id}`)?.learn({ granted, returned: 0 });
    if (beats === undefined) return;
    const isLost = beats <= beatsBefore;
    epoch.beats = isLost ? beats : Math.max(epoch.beats, beats);
    if (!isLost) return;
    for (const block of epoch.blocks.values()) block.forgetReported();
    this.overAgain = [...this.toldOver.keys()];
    this.syncSoon();
  }

  private async returnEverything(): Promise<void> {
    // A block that arrived after the stop would stay lent until billing misses this replica's heartbeats.
    const replies = Promise.allSettled(this.epoch.running.values());
    await Promise.race([replies, pause(FAREWELL_MS, undefined, { ref: false })]);
    // One of these replies may have begun a new epoch.
    const { epoch } = this;
    // The reply to the first report may tell of a grant that this replica did not know of.
    for (let turn = 0; turn < 2; turn += 1) {
      const idle = [...epoch.blocks.values()].filter((block) => block.giveBack());
      if (turn === 0 ? epoch.blocks.size > 0 : idle.length > 0) await this.report(epoch, []);
    }
  }
}

/**
 * Deletes blocks that never got quota, without running requests, after an hour; until then replies that are still under
 * way may need their counters. All others stay as long as their epoch, and each heartbeat walks them, because billing's
 * counters go on: a block that began again at zero would take all that was ever spent from it for quota to spend.
 */
function forgetQuietBlocks({ blocks }: Epoch, now: number): void {
  for (const [key, block] of blocks) {
    if (block.held === 0 && block.open === 0 && block.granted === 0 && now - block.touchedAt > 3_600_000)
      blocks.delete(key);
  }
}

const keyOf = ({ userId, tokenId }: Pair): string => `${userId}:${tokenId}`;

/** `available`: units that billing could still lend before this reply. */
function learn(
  block: AccountBlock,
  counters: { granted: number; returned: number },
  { available, ...observed }: { now: number; need: number; isGranted: boolean; available: number },
): void {
  const before = block.granted;
  block.learn(counters);
  const lent = block.granted - before;
  block.ahead.applyReply({ ...observed, lent, available: available - lent });
}

const countersOf = (block: AccountBlock | undefined): { granted: number; returned: number; used: number } => ({
  granted: block?.granted ?? 0,
  returned: block?.returned ?? 0,
  used: block?.used ?? 0,
});
