import { LRUCache } from 'lru-cache';

const SHAPES = 20_000;

/** What makes two requests cost alike, as far as it is known before the upstream answers. */
export interface RequestShape {
  userId: number;
  model: string;
  promptBytes: number;
  maxTokens: number;
  /** The version and the group its price comes from: at another price nothing is known. */
  price: string;
}

/**
 * The highest recent cost of requests of the same shape. A hold is an upper bound, so the last call that a wallet can pay for
 * would be refused by it; with a remembered cost that call is let through alone.
 */
export class CostMemory {
  private readonly costs = new LRUCache<string, number>({ max: SHAPES });

  note(shape: RequestShape, cost: number): void {
    const key = keyOf(shape);
    this.costs.set(key, Math.max(cost, this.costs.get(key) ?? 0));
  }

  expected(shape: RequestShape): number | undefined {
    return this.costs.get(keyOf(shape));
  }
}

const keyOf = ({ userId, model, promptBytes, maxTokens, price }: RequestShape): string =>
  `${userId}/${promptBytes}/${maxTokens}/${price}/${model}`;
