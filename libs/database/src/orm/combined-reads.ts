import type { EntityManager } from '@mikro-orm/postgresql';
import { bound } from './bound.js';
import { inPatience } from './in-patience.js';

/** Milliseconds after which a statement that got no answer no longer holds up those whose expressions it shares. */
const PATIENCE_MS = 1_000;

interface Wanted {
  expression: string;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Reads single values from a service's schema. What is read in the same turn of the event loop goes to the database as one statement, so
 * that tasks of the same second which nearly always find nothing to do cost one round trip in total. If that statement fails, or waits for
 * a lock, each value is read by a statement of its own: one task must not fail or delay another.
 */
export class CombinedReads {
  private waiting: Wanted[] = [];

  constructor(private readonly em: EntityManager) {}

  /** The value of an SQL expression, as the driver reads it. */
  read<T>(expression: string): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ expression, resolve: resolve as Wanted['resolve'], reject });
      if (this.waiting.length === 1) setImmediate(() => void this.send(this.waiting.splice(0)));
    });
  }

  private async send(wanted: readonly Wanted[]): Promise<void> {
    const [first] = wanted;
    if (!first) return;
    if (wanted.length === 1) return this.answer(first);
    const values = this.valuesOf(wanted.map(({ expression }) => expression));
    try {
      const found = await inPatience(values, PATIENCE_MS, 'no answer in time');
      wanted.forEach(({ resolve }, at) => resolve(found[at]));
    } catch {
      await Promise.all(wanted.map((one) => this.answer(one)));
    }
  }

  private async answer({ expression, resolve, reject }: Wanted): Promise<void> {
    try {
      const [value] = await this.valuesOf([expression]);
      resolve(value);
    } catch (error) {
      reject(error);
    }
  }

  private async valuesOf(expressions: readonly string[]): Promise<unknown[]> {
    const columns = expressions.map((expression, at) => `(${expression}) as "v${at}"`);
    const [row] = await bound<Record<string, unknown>>(this.em.fork(), `select ${columns.join(', ')}`, []);
    return expressions.map((_, at) => row?.[`v${at}`]);
  }
}

/** A time of the process's clock, in milliseconds, as an expression. */
export const sqlTime = (at: number): string => `timestamptz '${new Date(at).toISOString()}'`;
