import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { EntityManager, type MikroORM } from '@mikro-orm/postgresql';
import { Migration } from '@mikro-orm/migrations';
import { defineEntity, p } from '@mikro-orm/core';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { defineEvent, type EventBatch } from '@tollgate/contracts';
import { createDatabase, eventually, type TestDatabase } from '@tollgate/testing';
import { z } from 'zod';
import { openDatabase } from '../src/orm/orm.provider.js';
import { AppError, toEnvelope, serialise, Logger, Metrics } from '@tollgate/chassis';
import { measureTables } from '../src/events/backlog.js';
import { EventsServer } from '../src/events/events.server.js';
import { Leader } from '../src/events/leader.js';
import { OnEvent } from '../src/events/on-event.js';
import { Outbox } from '../src/events/outbox.js';
import { OutboxEvent } from '../src/orm/outbox-event.entity.js';
import { OutboxPump } from '../src/events/outbox-pump.js';
import { CombinedReads } from '../src/orm/combined-reads.js';
import { EventDelivery } from '../src/events/event-delivery.js';
import { QuarantinedEvent } from '../src/orm/quarantine.entity.js';
import { TableEventLog } from '../src/events/table-event-log.js';

const log = Logger.root('silent');

const thingHappened = defineEvent({
  name: 'thing-happened',
  summary: 'Something happened.',
  version: 1,
  key: (data) => data.who,
  data: z.object({ who: z.string(), what: z.string() }),
});

const note = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: { id: p.integer().primary().autoincrement(), who: p.text(), what: p.text().unique() },
});
class Note extends note.class {}
note.setClass(Note);

class Migration20261102000000 extends Migration {
  override up(): void {
    this.addSql(
      'create table "note" ("id" serial primary key, "who" text not null, "what" varchar(20) not null unique);',
    );
  }
}

const definition = (name: string) => ({ name, entities: [Note], migrations: [Migration20261102000000] });

/** What the test's handlers received, and how they shall react. */
const observed = {
  batches: [] as string[][],
  seconds: [] as string[],
  failWith: undefined as (() => Error) | undefined,
};

@Controller()
class NoteConsumer {
  constructor(private readonly em: EntityManager) {}

  @OnEvent(thingHappened)
  async write(batch: EventBatch<typeof thingHappened>): Promise<void> {
    observed.batches.push(batch.map(({ data }) => data.what));
    if (observed.failWith) throw observed.failWith();
    await this.em.transactional(async (em) => {
      for (const { data } of batch) em.create(Note, { who: data.who, what: data.what });
    });
  }

  @OnEvent(thingHappened)
  second(batch: EventBatch<typeof thingHappened>): Promise<void> {
    observed.seconds.push(...batch.map(({ data }) => data.what));
    return Promise.resolve();
  }
}

const outboxEmpty = ({ em }: MikroORM): Promise<boolean> =>
  eventually(
    'no event waits in the outbox',
    async () => (await em.fork().count(OutboxEvent, { publishedAt: null, refusedAt: null })) === 0,
  );

describe('events of a service', () => {
  let database: TestDatabase;
  let producer: MikroORM;
  let consumer: MikroORM;
  let eventLog: TableEventLog;
  let leader: Leader;
  let reads: CombinedReads;
  let pump: OutboxPump;
  let outbox: Outbox;
  let app: INestMicroservice;
  const announced: string[] = [];

  beforeAll(async () => {
    database = await createDatabase([definition('billing'), definition('logging')]);
    producer = await openDatabase({ definition: definition('billing'), url: database.url, log, migrate: 'start' });
    consumer = await openDatabase({ definition: definition('logging'), url: database.url, log, migrate: 'start' });
    eventLog = new TableEventLog({ url: database.url, log });
    await eventLog.start([thingHappened]);
    leader = new Leader({ url: database.url, name: 'billing', log });
    await leader.start();
    reads = new CombinedReads(producer.em);
    pump = new OutboxPump({
      em: producer.em,
      reads,
      eventLog,
      leader,
      log,
      onPublished: (topic, records) => void announced.push(...records.map(({ key }) => `${topic}:${key}`)),
    });
    outbox = new Outbox(producer.em, 'billing', () => pump.kick());
    pump.start();

    @Module({ controllers: [NoteConsumer], providers: [{ provide: EntityManager, useValue: consumer.em }] })
    class TestModule {}
    app = await NestFactory.createMicroservice(TestModule, {
      strategy: new EventsServer({ service: 'logging', eventLog, log, orm: consumer }),
      logger: false,
    });
    await app.listen();
  }, 60_000);

  afterAll(async () => {
    await pump?.stop();
    await leader?.stop();
    await app?.close();
    await eventLog?.stop();
    await producer?.close(true);
    await consumer?.close(true);
    await database?.drop();
  }, 60_000);

  beforeEach(() => {
    observed.batches.length = 0;
    observed.seconds.length = 0;
    observed.failWith = undefined;
  });

  const notes = (): Promise<Note[]> => consumer.em.fork().find(Note, {}, { orderBy: { id: 'asc' } });
  const publish = (...whats: string[]): Promise<void> =>
    eventLog.append(
      thingHappened.name,
      whats.map((what) => ({ key: 'k', value: serialise(toEnvelope(thingHappened, 'billing', { who: 'k', what })) })),
    );
  const caughtUp = (): Promise<boolean> =>
    eventually(
      'everything is read',
      async () =>
        JSON.stringify(flat(await eventLog.ends([thingHappened.name]))) ===
        JSON.stringify(flat(await eventLog.committed('logging', [thingHappened.name]))),
    );
  const flat = (offsets: Record<string, Record<number, bigint>>): string[] =>
    Object.values(offsets[thingHappened.name] ?? {}).map(String);

  it('carry a committed change to the consumer of another schema, and nothing of one rolled back', async () => {
    const kept = producer.em.transactional(async (em) => {
      em.create(Note, { who: 'ada', what: 'kept' });
      await outbox.add(thingHappened, { who: 'ada', what: 'kept' });
    });
    const lost = producer.em.transactional(async () => {
      await outbox.add(thingHappened, { who: 'ada', what: 'lost' });
      throw new Error('rolled back');
    });
    await kept;
    await expect(lost).rejects.toThrow('rolled back');
    await eventually('a note is written', async () => (await notes()).length > 0);
    expect((await notes()).map(({ what }) => what)).toEqual(['kept']);
    // The other handler of the topic may run later.
    await eventually('the second handler has run', () => observed.seconds.length > 0);
    expect(observed.seconds).toEqual(['kept']);
    await outboxEmpty(producer);
    expect(announced).toContain('thing-happened:ada');
  });

  it('leave without waiting for a poll, since the commit kicks the pump', async () => {
    const polls = jest.spyOn(reads, 'read').mockReturnValue(new Promise(() => undefined)); // no poll finds anything
    try {
      for (let round = 0; round < 12; round += 1) {
        const what = `kick-${round}`;
        await producer.em.transactional(() => outbox.add(thingHappened, { who: 'ada', what }));
        await eventually(`${what} arrives`, () => observed.seconds.includes(what));
      }
    } finally {
      polls.mockRestore();
      pump.kick(); // ends a poll that is still without an answer
    }
  });

  it('are refused outside a transaction and when they break their contract', async () => {
    await expect(outbox.add(thingHappened, { who: 'ada', what: 'alone' })).rejects.toThrow(/outside a transaction/);
    await expect(producer.em.transactional(() => outbox.add(thingHappened, { who: 'ada' } as never))).rejects.toThrow();
  });

  it('arrive as one batch, in order', async () => {
    observed.failWith = () => new AppError('unavailable', 'away', 'away');
    await publish('one', 'two', 'three');
    await eventually('a batch is delivered again', () => observed.batches.length >= 2);
    expect(observed.batches[0]).toEqual(['one', 'two', 'three']);
    observed.failWith = undefined;
    await caughtUp();
    expect((await notes()).map(({ what }) => what).slice(-3)).toEqual(['one', 'two', 'three']);
  });

  it('are delivered again after every outage, and never quarantined because of one', async () => {
    const before = await consumer.em.fork().count(QuarantinedEvent);
    observed.failWith = () => Object.assign(new Error('connection lost'), { code: '57P01' });
    await publish('patient');
    await eventually('a batch is delivered five times', () => observed.batches.length >= 5);
    observed.failWith = undefined;
    await caughtUp();
    expect(await consumer.em.fork().count(QuarantinedEvent)).toBe(before);
    expect((await notes()).map(({ what }) => what)).toContain('patient');
  });

  it('go to the quarantine when the database refuses their data, without those beside them', async () => {
    const tooLong = 'x'.repeat(30);
    await publish('good-1', tooLong, 'good-2');
    await caughtUp();
    const whats = (await notes()).map(({ what }) => what);
    expect(whats).toEqual(expect.arrayContaining(['good-1', 'good-2']));
    const rows = await consumer.em.fork().find(QuarantinedEvent, { handler: 'NoteConsumer.write' });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ topic: 'thing-happened', key: 'k', attempts: 3 });
    expect(rows[0]?.value).toContain(tooLong);
    // One call for the batch, then single calls; the refused event is tried three times.
    expect(observed.batches.filter((batch) => batch.length === 1 && batch[0] === tooLong)).toHaveLength(3);
    expect(observed.seconds).toEqual(['good-1', tooLong, 'good-2']);
  });

  it('go to the quarantine at once when they break their contract', async () => {
    const broken = serialise({ ...toEnvelope(thingHappened, 'billing', { who: 'k', what: 'w' }), data: { who: 5 } });
    const later = serialise({ ...toEnvelope(thingHappened, 'billing', { who: 'k', what: 'later' }), dataversion: 99 });
    await eventLog.append(
      thingHappened.name,
      [broken, 'no json', later].map((value) => ({ key: 'k', value })),
    );
    await publish('after-broken');
    await caughtUp();
    const whats = (await notes()).map(({ what }) => what);
    expect([whats.includes('after-broken'), whats.includes('later')]).toEqual([true, false]);
    const rows = await consumer.em.fork().find(QuarantinedEvent, { attempts: 1 });
    expect(rows.map(({ value }) => value)).toEqual(expect.arrayContaining([broken, 'no json', later]));
    expect(rows.find(({ value }) => value === later)?.error).toContain('version 99');
  });

  it('are quarantined at an offset that another log had too, and only once however often they are delivered', async () => {
    const delivery = new EventDelivery(consumer, log);
    const handler = { contract: thingHappened, name: 'Moved.take', call: () => Promise.resolve() };
    const broken = (value: string) => ({ topic: thingHappened.name, partition: 0, offset: 3n, key: 'k', value });
    for (const value of ['of the table', 'of Kafka', 'of Kafka', 'with a \0'])
      await delivery.deliver([handler], [broken(value)]);
    const rows = await consumer.em.fork().find(QuarantinedEvent, { handler: 'Moved.take' }, { orderBy: { id: 'asc' } });
    expect(rows.map(({ value }) => value)).toEqual(['of the table', 'of Kafka', 'with a \ufffd']);
  });

  it('are one row of the quarantine, however often their producer sends them again', async () => {
    const delivery = new EventDelivery(consumer, log);
    const handler = { contract: thingHappened, name: 'Again.take', call: () => Promise.reject(new RangeError('big')) };
    const event = toEnvelope(thingHappened, 'billing', { who: 'k', what: 'again' });
    for (const offset of [7n, 8n, 9n]) {
      const value = serialise({ ...event, time: new Date(Number(offset)).toISOString() });
      await delivery.deliver([handler], [{ topic: thingHappened.name, partition: 0, offset, key: 'k', value }]);
    }
    const rows = await consumer.em.fork().find(QuarantinedEvent, { handler: 'Again.take' });
    expect(rows.map(({ eventId, offset }) => [eventId, offset])).toEqual([[event.id, '7']]);
  });

  it('stay in the outbox with the reason when the log refuses them, and hold up nothing', async () => {
    const whats = ['before', 'x'.repeat(4 * 1024 * 1024), 'behind'];
    await producer.em.transactional(async () => {
      for (const what of whats) await outbox.add(thingHappened, { who: 'big', what });
    });
    await outboxEmpty(producer);
    const rows = await producer.em.fork().find(OutboxEvent, { key: 'big' }, { orderBy: { id: 'asc' } });
    expect(rows.map(({ publishedAt, refusedAt }) => [publishedAt !== null, refusedAt !== null])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
    expect(rows[1]?.refusal).toContain('too large');
    await caughtUp();
    expect(observed.seconds).toEqual(['before', 'behind']);
    const metrics = new Metrics('billing');
    measureTables(metrics, producer.em as EntityManager);
    expect(await metrics.registry.getSingleMetricAsString('tollgate_outbox_refused_events')).toMatch(
      /topic="thing-happened".* 1$/m,
    );
    expect(await metrics.registry.getSingleMetricAsString('tollgate_outbox_events')).toMatch(/ 0$/m);
  });

  it('are published without characters that PostgreSQL cannot store', async () => {
    await producer.em.transactional(() => outbox.add(thingHappened, { who: 'n\0', what: 'half \ud83d' }));
    const [row] = await producer.em.fork().find(OutboxEvent, {}, { orderBy: { id: 'desc' }, limit: 1 });
    expect(row?.key).toBe('n\ufffd');
    expect((JSON.parse(row?.value ?? '') as { data: object }).data).toEqual({ who: 'n\ufffd', what: 'half \ufffd' });
    await caughtUp();
  });
});

describe('OutboxPump', () => {
  it('sends nothing of one topic again while another cannot leave', async () => {
    const database = await createDatabase([definition('billing')]);
    const orm = await openDatabase({ definition: definition('billing'), url: database.url, log, migrate: 'start' });
    const appended: string[] = [];
    const append = async (topic: string): Promise<void> => {
      appended.push(topic);
      if (topic === 'second' && appended.length < 6) throw new Error('away');
      await Promise.resolve();
    };
    const em = orm.em.fork();
    for (const topic of ['first', 'second']) em.persist(em.create(OutboxEvent, { topic, key: 'k', value: '{}' }));
    await em.flush();
    const eventLog = { append } as unknown as TableEventLog;
    const pump = new OutboxPump({
      em: orm.em,
      reads: new CombinedReads(orm.em),
      eventLog,
      leader: { isLeader: true },
      log,
    });
    try {
      pump.start();
      await outboxEmpty(orm);
      expect(appended).toEqual(['first', 'second', 'second', 'second', 'second', 'second']);
    } finally {
      await pump.stop();
      await orm.close();
      await database.drop();
    }
  }, 60_000);

  it('finds rows without a trigger by its poll, and after a trigger does not wait for the answer to a poll', async () => {
    const database = await createDatabase([definition('billing')]);
    const orm = await openDatabase({ definition: definition('billing'), url: database.url, log, migrate: 'start' });
    const appended: string[] = [];
    const append = (topic: string): Promise<void> => Promise.resolve(void appended.push(topic));
    const reads = new CombinedReads(orm.em);
    const eventLog = { append } as unknown as TableEventLog;
    const pump = new OutboxPump({ em: orm.em, reads, eventLog, leader: { isLeader: true }, log });
    const put = (topic: string) => orm.em.fork().insert(OutboxEvent, { topic, key: 'k', value: '{}' });
    try {
      const asked = jest.spyOn(reads, 'read');
      pump.start();
      await eventually('the first poll', () => asked.mock.calls.length > 0);
      await put('by poll');
      await eventually('the row is found', () => appended.length === 1);
      let polls = 0;
      asked.mockImplementation(() => new Promise(() => (polls += 1)));
      await eventually('a further poll', () => polls === 1);
      await put('by trigger');
      pump.kick();
      await eventually('the other row is found', () => appended.length === 2);
      expect(appended).toEqual(['by poll', 'by trigger']);
    } finally {
      await pump.stop();
      await orm.close();
      await database.drop();
    }
  }, 60_000);
});
