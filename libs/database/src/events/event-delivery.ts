import { setTimeout as pause } from 'node:timers/promises';
import { SpanKind } from '@opentelemetry/api';
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { EventContract, EventOf } from '@tollgate/contracts';
import { RequestContext } from '@mikro-orm/core';
import { z } from 'zod';
import {
  storableText,
  type Logger,
  fromRecord,
  type ReadRecord,
  inFreshContext,
  inSpan,
  remoteSpanOf,
} from '@tollgate/chassis';
import { notePlace } from './event-place.js';
import { isPoison } from './failure-class.js';

export interface EventHandler {
  contract: EventContract;
  /** `Class.method`. */
  name: string;
  call(batch: readonly EventOf<EventContract>[]): Promise<void>;
}

/** A record and its parsed event. */
interface Delivery {
  record: ReadRecord;
  event: EventOf<EventContract>;
}

const MAX_LINKS = 100;

/** Links the span of a batch to the traces of all its events. */
const consuming = (events: readonly EventOf<EventContract>[]): Parameters<typeof inSpan>[1] => ({
  kind: SpanKind.CONSUMER,
  attributes: { 'messaging.batch.message_count': events.length },
  links: events
    .flatMap(({ traceparent }) => (traceparent === undefined ? [] : [{ context: remoteSpanOf(traceparent) }]))
    .slice(0, MAX_LINKS),
});

const MAX_ATTEMPTS = 3;
const PAUSE_MS = 50;

/**
 * Passes records to handlers, one call per batch and handler. If a batch fails as poison, its events are tried one by one, and an event
 * that fails three times is quarantined. An outage rejects, so that the whole batch is delivered again.
 */
export class EventDelivery {
  constructor(
    private readonly orm: MikroORM | undefined,
    private readonly log: Logger,
  ) {}

  async deliver(handlers: readonly EventHandler[], records: readonly ReadRecord[]): Promise<void> {
    for (const handler of handlers) {
      const batch = await this.parse(handler, records);
      if (batch.length > 0) await this.deliverTo(handler, batch);
    }
  }

  private async parse(handler: EventHandler, records: readonly ReadRecord[]): Promise<Delivery[]> {
    const parsed: Delivery[] = [];
    for (const record of records) {
      try {
        const event = eventIn(record, handler.contract);
        notePlace(event, record);
        parsed.push({ record, event });
      } catch (error) {
        // Not retried, because the same bytes would break the contract again.
        await this.quarantine(record, handler.name, error, 1);
      }
    }
    return parsed;
  }

  private async deliverTo(handler: EventHandler, batch: readonly Delivery[]): Promise<void> {
    try {
      await this.call(
        handler,
        batch.map(({ event }) => event),
      );
    } catch (error) {
      if (!isPoison(error)) throw error;
      for (const delivery of batch) await this.deliverOne(handler, delivery);
    }
  }

  private async deliverOne(handler: EventHandler, { record, event }: Delivery): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.call(handler, [event]);
      } catch (error) {
        if (!isPoison(error)) throw error;
        if (attempt === MAX_ATTEMPTS) return this.quarantine(record, handler.name, error, attempt);
        await pause(PAUSE_MS);
      }
    }
  }

  /** Each call gets its own database session, outside the context of the request or event that caused it. */
  private call(handler: EventHandler, events: readonly EventOf<EventContract>[]): Promise<void> {
    const { orm } = this;
    const work = (): Promise<void> =>
      inSpan(`handle ${handler.contract.name}`, consuming(events), () => handler.call(events));
    return inFreshContext(() => (orm ? RequestContext.create(orm.em, work) : work()));
  }

  private async quarantine(record: ReadRecord, handler: string, error: unknown, attempts: number): Promise<void> {
    const { topic, partition, offset, key, value } = record;
    this.log.error(`${handler} cannot apply an event of ${topic}; it goes to the quarantine`, {
      error,
      partition,
      offset: String(offset),
      attempts,
    });
    if (!this.orm) return;
    // The same event may be delivered again, before its offset is committed or because its producer resends an event without effect.
    await (this.orm.em.fork() as EntityManager).execute(
      `insert into "quarantined_event" ("topic", "partition", "record_offset", "handler", "event_id", "key", "value", "error", "attempts")
       values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing`,
      [
        topic,
        partition,
        String(offset),
        handler,
        eventIdIn(value),
        storableText(key),
        storableText(value),
        describe(error),
        attempts,
      ],
      'run',
    );
  }
}

const known = new WeakMap<ReadRecord, { contract: EventContract; event: EventOf<EventContract> }>();

/** Parses a record once: within a process all groups get the same record object. Throws if the record is invalid. */
function eventIn(record: ReadRecord, contract: EventContract): EventOf<EventContract> {
  const found = known.get(record);
  if (found?.contract === contract) return found.event;
  const event = fromRecord(contract, record.value);
  known.set(record, { contract, event });
  return event;
}

/** Null if the record has no readable id; it is then identified by its bytes. */
function eventIdIn(value: string): string | null {
  try {
    return z.object({ id: z.uuid() }).parse(JSON.parse(value)).id.toLowerCase();
  } catch {
    return null;
  }
}

const describe = (error: unknown): string =>
  storableText(error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 4_000);
