import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { EventEnvelope, findRequest } from '@tollgate/contracts';
import { bound, placeOfEvent } from '@tollgate/database';
import type { z } from 'zod';
import { toCount } from '../rowset.js';

type EventPosition = NonNullable<z.output<typeof findRequest.output>['place']>;

/** An event that is delivered twice keeps the partition and offset of its first delivery. */
const note = `insert into "event_place" ("event_id", "topic", "partition", "record_offset")
  select * from unnest($1::uuid[], $2::text[], $3::int[], $4::bigint[]) as e("event_id", "topic", "partition", "record_offset")
  order by e."event_id", e."record_offset" on conflict ("event_id") do nothing`;

const find = `select "topic", "partition", "record_offset" as "offset" from "event_place" where "event_id" = $1`;

/**
 * The partition and offset of events about movements. For consumption they are in the journal, which is booked from the
 * event log. Other postings exist before their events, so the consumers of those events record the place here.
 */
@Injectable()
export class EventPlaces {
  constructor(private readonly em: EntityManager) {}

  /** One statement in the caller's transaction. */
  async note(em: EntityManager, events: readonly EventEnvelope[]): Promise<void> {
    const placed = events.flatMap((event) => {
      const place = placeOfEvent(event);
      return place ? [{ id: event.id, topic: event.type, ...place }] : [];
    });
    if (placed.length === 0) return;
    await bound(em, note, [
      placed.map(({ id }) => id),
      placed.map(({ topic }) => topic),
      placed.map(({ partition }) => partition),
      placed.map(({ offset }) => String(offset)),
    ]);
  }

  async find(eventId: string): Promise<EventPosition | null> {
    const [place] = await bound<EventPosition>(this.em, find, [eventId]);
    return place ? { ...place, offset: toCount(place.offset) } : null;
  }
}
