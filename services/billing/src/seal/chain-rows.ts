import type { PostingRow } from '../journal/journal.reply.js';
import { units } from '../units.js';
import type { ChainedRow } from './chain-text.js';

/** The columns of posting "p" that a link of the chain hashes, and its transaction `tx`. */
export const ROW_COLUMNS = `p."id"::text as "id", p."tx", p."code", p."debit", p."credit", p."amount", p."user_id", p."token_id", p."reference",
  p."price_version", p."replica_epoch", p."actor_id", p."reason", p."model", p."group", p."channel_id", p."event_partition", p."event_offset",
  to_char(p."booked_at" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "booked_at"`;

/** The months that have a chain, found with one index step each. */
export const CHAINS = `with recursive c("chain") as (
    select min("chain") from "journal_link"
    union all
    select (select min(l."chain") from "journal_link" l where l."chain" > c."chain") from c where c."chain" is not null
  ) select "chain" from c where "chain" is not null`;

export interface StoredRow extends Omit<PostingRow, 'booked_at'> {
  tx: string | number | null;
  replica_epoch: string | null;
  event_partition: number | null;
  event_offset: unknown;
  booked_at: string;
}

/** The position of a posting, and the version of the text that is hashed for it. */
interface ChainPosition {
  chain: string;
  position: number;
  version: number;
}

export const toChainedRow = (row: StoredRow, { chain, position, version }: ChainPosition): ChainedRow => ({
  chain,
  position,
  id: row.id,
  code: row.code,
  debit: row.debit,
  credit: row.credit,
  amount: units(row.amount),
  userId: row.user_id,
  tokenId: row.token_id,
  reference: row.reference,
  priceVersion: row.price_version,
  replicaEpoch: row.replica_epoch,
  actorId: row.actor_id,
  reason: row.reason,
  bookedAt: row.booked_at,
  ...(version > 1 && {
    model: row.model,
    group: row.group,
    channelId: row.channel_id,
    eventPartition: row.event_partition,
    eventOffset: row.event_offset === null ? null : units(row.event_offset),
  }),
});

/** Runs a query on billing's schema, with `$1` placeholders. */
export type Query = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

export interface StoredLink extends StoredRow {
  position: string;
  posting_id: string;
  hash: string;
  version: number;
  /**
   * The cost in units and the cost version it was computed with. They are notes beside the row, so they are not part of
   * the hashed text.
   */
  cost: unknown;
  cost_version: number | null;
  /** The model name that the provider got; empty if unknown. Also a note. */
  upstream_model: string | null;
}

const BATCH = 2_000;

/** The links of a chain with their postings, in batches, for positions `from` to `to` inclusive. */
export async function* readLinks(
  query: Query,
  { chain, from, to }: { chain: string; from: number; to: number },
): AsyncGenerator<StoredLink[]> {
  for (let next = from; next <= to;) {
    const rows = await query<StoredLink>(
      `select l."position", l."posting_id"::text as "posting_id", encode(l."hash", 'hex') as "hash", l."version", p."cost", p."cost_version", p."upstream_model", ${ROW_COLUMNS}
       from "journal_link" l left join "posting" p on p."id" = l."posting_id"
       where l."chain" = $1 and l."position" >= $2 and l."position" <= $3 order by l."position" limit ${BATCH}`,
      [chain, next, to],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    next = units(last.position) + 1;
  }
}

export interface StoredSeal {
  number: number;
  position: number;
  text: string;
  signature: string;
}

/** The seals of a chain, oldest first. */
export async function readSeals(query: Query, chain: string): Promise<StoredSeal[]> {
  const rows = await query<{ number: unknown; position: unknown; text: string; signature: string }>(
    `select "number", "position", "text", "signature" from "journal_seal" where "chain" = $1 order by "number"`,
    [chain],
  );
  return rows.map((row) => ({ ...row, number: units(row.number), position: units(row.position) }));
}

/** All chains, including those that were sealed but have no rows any more. */
export const readChains = async (query: Query): Promise<string[]> =>
  (await query<{ chain: string }>(`${CHAINS} union select distinct "chain" from "journal_seal" order by 1`)).map(
    ({ chain }) => chain,
  );

/** The public keys of all seals by key id, in hex. */
export async function readKeys(query: Query): Promise<Record<string, string>> {
  const rows = await query<{ id: string; public_key: string }>(
    `select "id", "public_key" from "seal_key" order by "created_at"`,
  );
  return Object.fromEntries(rows.map((row) => [row.id, row.public_key]));
}
