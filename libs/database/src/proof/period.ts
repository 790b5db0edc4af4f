import { leastIdAt } from '@tollgate/chassis';

/** Selects requests by admission time, which their ids contain. Milliseconds since the epoch; `to` is exclusive. */
export interface Period {
  from: number;
  to: number;
}

/** Replaces the period's placeholders in a query, as `BookCheck` describes them. */
export function bindPeriod(query: string, { from, to }: Period): string {
  const values: Record<string, string> = {
    fromId: `'${leastIdAt(from)}'::uuid`,
    toId: `'${leastIdAt(to)}'::uuid`,
    from: String(Math.floor(from / 1000)),
    to: String(Math.floor(to / 1000)),
  };
  return query.replace(/(?<!:):(fromId|toId|from|to)\b/g, (_, name: string) => values[name] ?? '');
}
