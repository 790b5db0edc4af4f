import { growingCache } from '@tollgate/chassis';
import { type RequestShape, sizeStepOf } from './cost-memory.js';

const KINDS = 5000;

/**
 * The overheads that upstreams were observed to charge for words of their own before a prompt, in units beyond the
 * bound of the request. They depend on the upstream and not on the client, so one call is enough for all users.
 */
export class PromptOverheads {
  /** By model and price, then by the step of the prompt's size. */
  private readonly seen = growingCache<string, Map<number, number>>({ most: KINDS });

  /** The highest overhead so far for requests of about the same size; `undefined` where none of them has ended yet. */
  of(shape: RequestShape): number | undefined {
    const steps = this.seen.get(kindOf(shape));
    if (!steps) return undefined;
    const step = sizeStepOf(shape);
    let most: number | undefined;
    for (let near = step - 1; near <= step + 1; near += 1) {
      const seen = steps.get(near);
      if (seen !== undefined && (most === undefined || seen > most)) most = seen;
    }
    return most;
  }

  note(shape: RequestShape, units: number): void {
    const kind = kindOf(shape);
    let steps = this.seen.get(kind);
    if (!steps) this.seen.set(kind, (steps = new Map()));
    const step = sizeStepOf(shape);
    const seen = steps.get(step);
    if (seen === undefined || seen < units) steps.set(step, units);
  }
}

const kindOf = ({ model, price }: RequestShape): string => `${price}/${model}`;
