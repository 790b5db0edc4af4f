import { createHash } from 'node:crypto';
import type { PriceDocument } from '@tollgate/contracts';

/** A price document without its id, which is computed from them. */
export type PriceTables = Omit<PriceDocument, 'id'>;

/** A hash of the content, so equal prices are one version. */
export const priceIdOf = (tables: PriceTables): string =>
  createHash('sha256').update(JSON.stringify(tables)).digest('hex').slice(0, 32);

/** Entries sorted by name, so that the same prices always give the same text. */
export const sorted = <Value>(table: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(table).sort(([first], [second]) => (first < second ? -1 : 1)));

/** All tables of a price document, in the order in which its id hashes them. */
const MEMBERS: readonly string[] = Object.keys({
  modelRatio: true,
  completionRatio: true,
  modelPrice: true,
  cacheRatio: true,
  imageRatio: true,
  groupRatio: true,
  groupGroupRatio: true,
  realtimeAudioRatio: true,
  quotaPerUnit: true,
} satisfies Record<keyof PriceTables, true>);

const inOrder = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? sorted(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOrder(inner)])))
    : value;

/**
 * The id that a stored document should have. The database does not keep the order of members, so it is restored;
 * unknown members are hashed, too.
 */
export function idOfStored(document: Readonly<Record<string, unknown>>): string {
  const { known, others } = Object.groupBy(Object.entries(document), ([name]) =>
    MEMBERS.includes(name) ? 'known' : 'others',
  );
  const values = Object.fromEntries(known ?? []);
  const tables = MEMBERS.filter((name) => name in values).map((name) => [name, inOrder(values[name])] as const);
  return priceIdOf(Object.fromEntries([...tables, ...(others ?? [])]) as unknown as PriceTables);
}
