import { setTimeout as pause } from 'node:timers/promises';
import { type Kind, KINDS, nothingSeen, observe, type Order, randomFrom, type Seen } from '../support/witness.js';

interface LoadPlan {
  url: string;
  key: string;
  /** Part of each mark, and the seed of the random generator. */
  number: number;
  requests: number;
  seconds: number;
}

const SHARES: readonly (readonly [Kind, number])[] = [
  ['chat', 0.25],
  ['chat stream', 0.3],
  ['messages', 0.1],
  ['messages stream', 0.2],
  ['embeddings', 0.15],
];
const LEAVING = 0.1;
/** The share of leaving clients that wait for the first byte. */
const PATIENT = 0.6;
const WORDS_PER_SECOND = 25;
/**
 * Streams last five seconds: longer than the two seconds within which an upstream must notice that its client has left.
 */
const LASTING = 8;

function kindFor(chance: number): Kind {
  let left = chance;
  for (const [kind, share] of SHARES) {
    left -= share;
    if (left < 0) return kind;
  }
  return 'chat';
}

/** Clients of all kinds that send requests at a constant rate, whether or not earlier ones were answered. */
export class Load {
  readonly seen: Seen[] = [];
  private readonly random: () => number;
  private readonly watchers = new Set<() => void>();
  private marks = 0;
  private over = false;
  private isEnough = false;
  private resting: { ended: Promise<void>; end(): void } | undefined;

  constructor(private readonly plan: LoadPlan) {
    this.random = randomFrom(plan.number);
  }

  /** Resolves when the last client has its reply or has given up. */
  async run(): Promise<void> {
    const { requests, seconds } = this.plan;
    const begun = performance.now();
    const clients: Promise<void>[] = [];
    for (let index = 0; index < requests; index += 1) {
      await pause(Math.max(0, begun + (index * seconds * 1000) / requests - performance.now()));
      await this.resting?.ended;
      if (this.isEnough) break;
      clients.push(this.ask(this.order()));
    }
    await Promise.all(clients);
    this.over = true;
    this.tell();
  }

  /** Starts no more requests; `run` resolves when the last one is done. */
  enough(): void {
    this.isEnough = true;
  }

  /** Sends a request with a short reply; returns whether the reply was complete. */
  async probe(): Promise<boolean> {
    await this.ask({ kind: 'chat', mark: this.nextMark(), latencyMs: 0, wordsPerSecond: 0 });
    return this.seen.at(-1)?.isWhole === true;
  }

  /** Pauses new requests until `goOn`; resolves when all running ones are done. */
  async rest(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.resting = { ended: promise, end: resolve };
    await this.until(() => this.running.length === 0);
  }

  goOn(): void {
    this.resting?.end();
    this.resting = undefined;
  }

  /** Starts this number of streams at once, in addition to the load; resolves when all have ended. */
  async streams(count: number, wordsPerSecond: number): Promise<void> {
    const kinds = ['chat stream', 'messages stream'] as const;
    const orders = Array.from({ length: count }, (_, index) => kinds[index % kinds.length] ?? 'chat stream');
    await Promise.all(orders.map((kind) => this.ask({ kind, mark: this.nextMark(), latencyMs: 20, wordsPerSecond })));
  }

  /**
   * Clients that leave at random moments, `width` of them at once, from an upstream that would continue for seconds.
   */
  async desertions(count: number, width: number): Promise<void> {
    let left = count;
    const desert = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const kind = kindFor(this.random());
        const leavesAfterMs = Math.floor(this.random() * 200);
        const isPatient = this.random() < PATIENT;
        const mark = this.nextMark();
        await this.ask({
          kind,
          mark,
          latencyMs: 10,
          wordsPerSecond: LASTING,
          leavesAfterMs,
          ...(isPatient && { leavesFrom: 'the first byte' }),
        });
      }
    };
    await Promise.all(Array.from({ length: width }, desert));
  }

  private order(): Order {
    const kind = kindFor(this.random());
    const leaves = this.random() < LEAVING;
    const afterMs = Math.floor(50 + this.random() * 800);
    const latencyMs = Math.floor(20 + this.random() * 200);
    return {
      kind,
      mark: this.nextMark(),
      latencyMs,
      wordsPerSecond: WORDS_PER_SECOND,
      ...(leaves && { leavesAfterMs: afterMs }),
    };
  }

  nextMark(): string {
    this.marks += 1;
    return `m${this.plan.number}x${this.marks}`;
  }

  private ask(order: Order): Promise<void> {
    const seen = nothingSeen(order);
    this.seen.push(seen);
    return observe(seen, { ...this.plan, onChange: () => this.tell() });
  }

  private tell(): void {
    for (const watcher of this.watchers) watcher();
  }

  /** Resolves as soon as the condition on what clients see holds, at the latest when the load ends. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.over && !holds()) return;
        this.watchers.delete(look);
        resolve();
      };
      this.watchers.add(look);
      look();
    });
  }

  private get running(): Seen[] {
    return this.seen.filter(({ endedAt }) => endedAt === Infinity);
  }

  /** A share of the requests has been sent and streams are running: the moment at which a fault has the most effect. */
  isInFullSwing(share = 0.25): boolean {
    return this.seen.length >= share * this.plan.requests && this.flowing >= 3;
  }

  get flowing(): number {
    return this.running.filter(({ kind, received }) => KINDS[kind].isStream && received !== '').length;
  }

  /** Requests that have not received a byte yet. */
  get waiting(): number {
    return this.running.filter(({ received }) => received === '').length;
  }

  /** Streams that completed. */
  get finished(): number {
    return this.seen.filter(({ kind, isWhole }) => KINDS[kind].isStream && isWhole).length;
  }
}
