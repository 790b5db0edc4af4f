import { growingCache } from '@tollgate/chassis';

const SHAPES = 20_000;
/** Prompts whose sizes differ by less than an eighth of an octave cost alike. */
const STEPS_PER_OCTAVE = 8;

/** What makes two requests cost alike, as far as it is known before the upstream answers. */
export interface RequestShape {
  userId: number;
  model: string;
  promptBytes: number;
  /** Tokens of all answers that the client allows; 0: no limit. */
  maxTokens: number;
  /** The version and the group its price comes from: at another price nothing is known. */
  price: string;
}

/** The dearest call of a shape so far. */
export interface KnownCost {
  /** Units. */
  cost: number;
  outputTokens: number;
}

/**
 * The highest recent cost of requests of about the same shape. A hold is an upper bound, so the last calls that a wallet can pay for would
 * be refused by it; with a remembered cost they get less, and the limit that goes with it.
 */
export class CostMemory {
  private readonly costs = growingCache<string, KnownCost>({ most: SHAPES });

  note(shape: RequestShape, cost: KnownCost): void {
    const key = keyOf(shape, sizeStepOf(shape));
    const known = this.costs.get(key);
    if (known === undefined || known.cost < cost.cost) this.costs.set(key, cost);
  }

  /** The dearest call of the shape, or of the sizes next to it, because a prompt that grows by a digit costs alike. */
  expected(shape: RequestShape): KnownCost | undefined {
    const step = sizeStepOf(shape);
    const known = [step - 1, step, step + 1].map((near) => this.costs.get(keyOf(shape, near)));
    return known.reduce((most, one) => (one && (!most || one.cost > most.cost) ? one : most));
  }
}

/** Which of the sizes that cost alike a prompt has. */
export const sizeStepOf = ({ promptBytes }: RequestShape): number =>
  Math.floor(Math.log2(promptBytes + 1) * STEPS_PER_OCTAVE);

const keyOf = ({ userId, model, maxTokens, price }: RequestShape, step: number): string =>
  `${userId}/${step}/${maxTokens}/${price}/${model}`;
