import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { glance } from './million-client.js';
import type { MillionWitness } from './million-witness.js';
import { type Kind, nothingSeen, randomFrom } from '../support/witness.js';

export interface Customer {
  userId: number;
  key: string;
  /** Whether the wallet or token is used up during the run. */
  isScarce: boolean;
}

interface Plan {
  url: string;
  count: number;
  width: number;
  seed: number;
  /**
   * The share of streams that take a second and a half, so that some are running at each kill; all others are sent at
   * once.
   */
  slow: number;
  customers: readonly Customer[];
  witness: MillionWitness;
  /** No request begins after this time. */
  until: number;
}

/** Streams of forty events cost as much as ten other requests, so a run of a million has fewer of them. */
const SHARES: readonly (readonly [Kind, number])[] = [
  ['chat', 0.4],
  ['chat stream', 0.1],
  ['messages', 0.2],
  ['messages stream', 0.1],
  ['embeddings', 1],
];
const SLOW_WORDS_PER_SECOND = 25;
const LEAVING = 0.05;
/** A refused client waits before its next request, as the reply asks it to. */
const REFUSED_MS = 200;
/** The share of requests with a scarce wallet or token. */
const SCARCE = 0.05;

/** Clients of all kinds, a fixed number at once; each sends its next request as soon as it has a reply. */
export class MillionLoad {
  begun = 0;
  ended = 0;
  private readonly agent = new Agent({ keepAlive: true });
  private readonly random: () => number;
  private readonly rich: readonly Customer[];
  private readonly scarce: readonly Customer[];

  constructor(private readonly plan: Plan) {
    this.random = randomFrom(plan.seed);
    this.rich = plan.customers.filter(({ isScarce }) => !isScarce);
    this.scarce = plan.customers.filter(({ isScarce }) => isScarce);
  }

  get isOver(): boolean {
    return this.begun >= this.plan.count || performance.now() > this.plan.until;
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.plan.width }, () => this.work()));
    this.agent.destroy();
  }

  private async work(): Promise<void> {
    const { url, witness } = this.plan;
    while (!this.isOver) {
      const number = this.begun;
      this.begun += 1;
      const seen = nothingSeen(this.order(number));
      await glance(seen, { url, key: this.customer().key, agent: this.agent });
      witness.note(number, seen);
      this.ended += 1;
      if (!seen.isWhole && !seen.hasLeft) await pause(REFUSED_MS);
    }
  }

  private order(number: number) {
    const kind = this.kind();
    const isSlow = this.random() < this.plan.slow;
    const leaves = this.random() < LEAVING;
    return {
      ...{ kind, mark: `m0x${number}`, latencyMs: Math.floor(this.random() * 20) },
      wordsPerSecond: isSlow ? SLOW_WORDS_PER_SECOND : 0,
      ...(leaves && { leavesAfterMs: Math.floor(this.random() * 300) }),
    };
  }

  private kind(): Kind {
    let left = this.random();
    for (const [kind, share] of SHARES) {
      left -= share;
      if (left < 0) return kind;
    }
    return 'chat';
  }

  private customer(): Customer {
    const those = this.random() < SCARCE ? this.scarce : this.rich;
    const one = those[Math.floor(this.random() * those.length)];
    if (!one) throw new Error('nobody is there who could ask');
    return one;
  }
}
