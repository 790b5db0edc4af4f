import { growingCache } from '@tollgate/chassis';

const SHAPES = 20_000;
/** Prompts whose sizes differ by less than an eighth of an octave are assumed to cost alike. */
const STEPS_PER_OCTAVE = 8;

/** The properties that predict the cost of a request before the upstream answers. */
export interface RequestShape {
  userId: number;
  model: string;
  promptBytes: number;
  /** Tokens of all answers that the client allows; 0 when it sets no limit. */
  maxTokens: number;
  /** The price version and the group of the price: costs at another price are not comparable. */
  price: string;
}

/** The most expensive call of a shape so far. */
export interface KnownCost {
  /** Units. */
  cost: number;
  outputTokens: number;
}

/**
 * The highest cost so far of requests of about the same shape; shapes that were not used for long are forgotten. A hold
 * is an upper bound, so by it the last calls that a wallet can pay for would be refused; with a remembered cost they get
 * a smaller hold, and an output limit to match.
 */
export class CostMemory {
  private readonly costs = growingCache<string, KnownCost>({ most: SHAPES });

  note(shape: RequestShape, cost: KnownCost): void {
    const key = keyOf(shape, sizeStepOf(shape));
    const known = this.costs.get(key);
    if (known === undefined || known.cost < cost.cost) this.costs.set(key, cost);
  }

  /**
   * The most expensive call of the shape, including the neighbouring sizes, because a prompt that grows by a digit
   * costs alike.
   */
  expected(shape: RequestShape): KnownCost | undefined {
    const step = sizeStepOf(shape);
    const known = [step - 1, step, step + 1].map((near) => this.costs.get(keyOf(shape, near)));
    return known.reduce((most, one) => (one && (!most || one.cost > most.cost) ? one : most));
  }
}

/** The number of the size step to which a prompt belongs; prompts of one step are assumed to cost alike. */
export const sizeStepOf = ({ promptBytes }: RequestShape): number =>
  Math.floor(Math.log2(promptBytes + 1) * STEPS_PER_OCTAVE);

const keyOf = ({ userId, model, maxTokens, price }: RequestShape, step: number): string =>
  `${userId}/${step}/${maxTokens}/${price}/${model}`;
