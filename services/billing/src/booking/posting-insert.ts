import { firstOfEach, placeOfEvent, plainColumn, textColumn } from '@tollgate/database';
import type { Consumption } from './booking-sums.js';
import type { RequestCost } from './cost-book.js';
import { House, walletOf } from '../journal/journal.service.js';
import { reasonOf } from './posting-reason.js';

/**
 * Inserts the postings of a batch and returns the ids of those that did not exist. Prepared, with one array per column:
 * PostgreSQL neither parses JSON nor plans anew for each batch.
 */
export const insertPostings = {
  name: 'insert-posting',
  text: `insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "price_version", "replica_epoch",
    "reason", "model", "group", "channel_id", "event_partition", "event_offset", "cost", "cost_version", "upstream_model")
  select e."id", 'consumption', e."debit", '${House.revenue}', e."amount", e."user_id", e."token_id", e."id"::text, e."price_version",
    e."replica_epoch", e."reason", e."model", e."group", e."channel_id", e."event_partition", e."event_offset", e."cost", e."cost_version",
    e."upstream_model"
  from unnest($1::uuid[], $2::text[], $3::bigint[], $4::int[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::int[], $12::int[], $13::bigint[], $14::bigint[], $15::int[], $16::text[]) as e("id", "debit", "amount", "user_id", "token_id",
    "price_version", "replica_epoch", "reason", "model", "group", "channel_id", "event_partition", "event_offset", "cost", "cost_version",
    "upstream_model")
  order by e."id" on conflict ("id") do nothing returning "id"`,
};

/** The parameters of {@link insertPostings}: one posting for each id, the first of events with the same. */
export function postingColumns(batch: readonly Consumption[], costs: ReadonlyMap<string, RequestCost>): unknown[] {
  const first = firstOfEach(batch);
  const events = [...first.values()];
  const places = events.map(placeOfEvent);
  const known = events.map(({ id }) => costs.get(id));
  return [
    plainColumn([...first.keys()]),
    plainColumn(events.map(({ data }) => walletOf(data.userId))),
    plainColumn(events.map(({ data }) => data.quota)),
    plainColumn(events.map(({ data }) => data.userId)),
    plainColumn(events.map(({ data }) => data.tokenId)),
    textColumn(events.map(({ data }) => data.priceVersion)),
    textColumn(events.map(({ data }) => data.replicaEpoch)),
    textColumn(events.map(({ data }) => reasonOf(data))),
    textColumn(events.map(({ data }) => data.model)),
    textColumn(events.map(({ data }) => data.group)),
    plainColumn(events.map(({ data }) => data.channelId)),
    plainColumn(places.map((place) => place?.partition ?? null)),
    plainColumn(places.map((place) => place?.offset ?? null)),
    plainColumn(known.map((cost) => cost?.cost ?? null)),
    plainColumn(known.map((cost) => cost?.version ?? null)),
    textColumn(events.map(({ data }) => data.upstreamModel ?? data.model)),
  ];
}
