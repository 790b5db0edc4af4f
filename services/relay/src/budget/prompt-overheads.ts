import { growingCache } from '@tollgate/chassis';
import { type RequestShape, sizeStepOf } from './cost-memory.js';

const SHAPES = 20_000;

/**
 * The overheads that upstreams were observed to charge for words of their own before a prompt, in units beyond the
 * bound of the request. They depend on the upstream and not on the client, so one call is enough for all users.
 */
export class PromptOverheads {
  private readonly seen = growingCache<string, number>({ most: SHAPES });

  /** The highest overhead so far for requests of about the same size; `undefined` where none of them has ended yet. */
  of(shape: RequestShape): number | undefined {
    const step = sizeStepOf(shape);
    let most: number | undefined;
    for (let near = step - 1; near <= step + 1; near += 1) {
      const seen = this.seen.get(keyOf(shape, near));
      if (seen !== undefined && (most === undefined || seen > most)) most = seen;
    }
    return most;
  }

  note(shape: RequestShape, units: number): void {
    const key = keyOf(shape, sizeStepOf(shape));
    const seen = this.seen.get(key);
    if (seen === undefined || seen < units) this.seen.set(key, units);
  }
}

const keyOf = ({ model, price }: RequestShape, step: number): string => `${step}/${price}/${model}`;
