import { acquireLeases, type AppliedPrice, type InternalCall, type Usage } from '@tollgate/contracts';
import { InternalClient, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
/* eslint-disable @nx/enforce-module-boundaries -- what both services decide on together is proved here, without a database between them */
import { holdFor, rate } from '@tollgate/pricing';
import type { JsonObject } from '@tollgate/providers';
import {
  type Fund,
  LeaseBook,
  type LeaseCounters,
  type LeaseRequest,
  outstandingOf,
} from '../../../billing/src/lease/lease-book.js';
import { Budget } from '../../../relay/src/budget/budget.js';
import { HoldRefused } from '../../../relay/src/budget/hold.js';
import { holdTerms, outputLimitFor } from '../../../relay/src/admission/hold-terms.js';
import { requestBound } from '../../../relay/src/usage/request-bound.js';
import { TurningClock } from '../../../relay/test/turning-clock.js';
/* eslint-enable @nx/enforce-module-boundaries */

const WALLET = { kind: 'wallet', id: 1 } as const;
/** A small number, so that a wallet can begin with less than it is worth in the end. */
const ASSUMED_TOKENS = 20;
const PICTURE = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4000)}` } };

/** A client's request, and the reply that its model would give. */
export interface Plan {
  replica: number;
  text: number;
  pictures: number;
  /** 0: the client sets no limit. */
  limit: number;
  choices: number;
  /** Number of tokens of one reply without a limit. */
  answer: number;
  /** Percentage of the possible tokens of the prompt that it really has; all of them are written to a cache. */
  density: number;
  /** Number of tokens that the upstream adds before the prompt. */
  preamble?: number;
  /** Turns of the event loop that the upstream takes, and that the booking takes afterwards. */
  takes: number;
}

/** Billing's rows of one wallet, with its real decisions; each replica has an epoch of its own. */
class Billing extends InternalClient {
  readonly fund: Fund;
  private readonly leases = new Map<string, LeaseCounters>();

  constructor(credit: number) {
    super();
    this.fund = { ...WALLET, ownerId: 1, credit, spent: 0, held: 0, limited: true, closed: false };
  }

  get balance(): number {
    return this.fund.credit - this.fund.spent;
  }

  override call(call: InternalCall, input: unknown): Promise<never> {
    const asked = input as {
      replicaEpoch: string;
      requests: LeaseRequest[];
      accounts: { granted: number; returned: number; used: number }[];
    };
    const answer = this.inBook(asked.replicaEpoch, (book) => {
      if (call.name === acquireLeases.name) return { alive: true, results: book.serve(asked.requests) };
      for (const report of asked.accounts) book.takeReport(WALLET, report);
      return { alive: true, lent: [], recall: [] };
    });
    return new Promise((resolve) => setImmediate(() => resolve(answer as never)));
  }

  /** Books like the booking transaction. */
  book(epoch: string, charge: number): void {
    const lease = this.leaseOf(epoch);
    const before = outstandingOf(lease);
    const after = { ...lease, booked: lease.booked + charge };
    this.leases.set(epoch, after);
    this.fund.spent += charge;
    this.fund.held -= before - outstandingOf(after);
  }

  private leaseOf(epoch: string): LeaseCounters {
    return this.leases.get(epoch) ?? { granted: 0, returned: 0, booked: 0, used: 0 };
  }

  private inBook<Result>(epoch: string, work: (book: LeaseBook) => Result): Result {
    const rows = [...this.leases].map(([owner, lease]) => ({ owner, ...WALLET, ...lease }));
    const others = rows.filter((row) => row.owner !== epoch && outstandingOf(row) > 0);
    const book = new LeaseBook([this.fund], [{ ...WALLET, ...this.leaseOf(epoch) }], others);
    const result = work(book);
    const { funds, leases } = book.changes();
    this.fund.held = funds[0]?.held ?? this.fund.held;
    if (leases[0]) this.leases.set(epoch, leases[0]);
    return result;
  }
}

export interface WorldOptions {
  credit: number;
  replicas: number;
  price: AppliedPrice;
  overdraft: 'bounded' | 'never';
}

/** Relays and a billing that share one wallet, with upstreams that respect the limits they get. */
export class World {
  readonly billing: Billing;
  /** Maximum cost of a prompt among the last calls, in units. */
  dearestPrompt = 0;
  served = 0;
  private readonly clock = new TurningClock();
  private readonly lifecycles: Lifecycle[] = [];
  private readonly budgets: Budget[] = [];

  constructor(private readonly options: WorldOptions) {
    this.billing = new Billing(options.credit);
    for (let index = 0; index < options.replicas; index += 1) this.budgets.push(this.budget());
  }

  /** Runs all requests concurrently, after a first one from which the relays learn the cost. */
  async run(plans: readonly Plan[]): Promise<void> {
    for (const plan of plans.slice(0, 1)) await this.request(plan);
    await Promise.all(plans.slice(1).map((plan) => this.request(plan)));
  }

  async close(): Promise<void> {
    for (const lifecycle of this.lifecycles) await lifecycle.drain();
    this.clock.stop();
  }

  private budget(): Budget {
    const lifecycle = new Lifecycle();
    this.lifecycles.push(lifecycle);
    const nothing = () => undefined;
    const spool = { noteEpoch: nothing, endEpoch: nothing, finishedEpochs: () => [], forgetEpochs: nothing };
    const keyValue = { subscribe: () => Promise.resolve(() => Promise.resolve()) };
    const host = { env: { TOLLGATE_OVERDRAFT: this.options.overdraft } };
    const logger = Logger.root('silent');
    return new Budget(this.billing, this.clock, logger, spool, keyValue, lifecycle, new Metrics('relay'), host);
  }

  private async request(plan: Plan): Promise<void> {
    const { price } = this.options;
    const json = bodyOf(plan);
    const size = JSON.stringify(json).length;
    const bound = requestBound({ json, size, endpoint: 'chat', models: ['gpt-4o'] });
    const terms = holdTerms(bound, price, ASSUMED_TOKENS);
    const shape = { userId: 1, model: 'gpt-4o', promptBytes: size, maxTokens: plan.limit, price: 'v1' };
    const budget = this.budgets[plan.replica % this.budgets.length];
    const hold = await budget?.hold({ ...terms, userId: 1, tokenId: 0, shape }).catch((error: unknown) => {
      if (error instanceof HoldRefused) return undefined;
      throw error;
    });
    if (!hold) return;
    const limit = outputLimitFor(bound, price, { hold, most: terms.most }) ?? (plan.limit || bound.maximum);
    if (limit < 1) return hold.settle(0);
    if (hold.known)
      this.dearestPrompt = Math.max(this.dearestPrompt, holdFor({ ...bound.prompt, outputTokens: 0 }, price));
    const usage = usageOf(plan, bound.prompt, limit);
    const charge = rate(usage, price);
    await turns(plan.takes);
    this.served += 1;
    hold.settle(charge, usage.outputTokens);
    await turns(plan.takes);
    this.billing.book(hold.epoch, charge);
  }
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const bodyOf = ({ text, pictures, limit, choices }: Plan): JsonObject => ({
  model: 'gpt-4o',
  ...(limit > 0 && { max_tokens: limit }),
  ...(choices > 1 && { n: choices }),
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'x'.repeat(text) }, ...Array.from({ length: pictures }, () => PICTURE)],
    },
  ],
});

function usageOf(
  { density, answer, choices, preamble = 0 }: Plan,
  prompt: { textTokens: number; imageTokens: number },
  limit: number,
): Usage {
  const textTokens = Math.floor((prompt.textTokens * density) / 100) + preamble;
  return {
    semantics: 'openai',
    inputTokens: density === 100 ? 0 : textTokens,
    imageInputTokens: Math.floor((prompt.imageTokens * density) / 100),
    cacheReadTokens: 0,
    cacheWriteTokens: density === 100 ? textTokens : 0,
    outputTokens: Math.min(answer, limit) * choices,
  };
}
