import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { createDatabase, eventually, type TestDatabase } from '@tollgate/testing';
import { Client } from 'pg';
import { migrate } from '../src/orm/migrate.js';
import { OnlineMigration } from '../src/orm/online-migration.js';
import { ormConfig } from '../src/orm/orm-config.js';
import { openDatabase } from '../src/orm/orm.provider.js';
import { clientConfig, probedConfig } from '../src/orm/connection.js';
import { likePattern } from '../src/query/like.js';
import { durableKeyValue } from '../src/session/durable-key-value.js';
import { MemoryKeyValue, Logger, SessionStore } from '@tollgate/chassis';

const log = Logger.root('silent');

const note = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: { id: p.integer().primary().autoincrement(), text: p.text() },
});
class Note extends note.class {}
note.setClass(Note);

const fact = defineEntity({
  name: 'Fact',
  tableName: 'fact',
  properties: { id: p.integer().primary().autoincrement(), told: p.json<Record<string, unknown>>() },
});
class Fact extends fact.class {}
fact.setClass(Fact);

class Migration20261102000002 extends Migration {
  override up(): void {
    this.addSql('create table "fact" ("id" serial primary key, "told" jsonb not null);');
  }
}
class Migration20261102000000 extends Migration {
  override up(): void {
    this.addSql('create table "note" ("id" serial primary key, "text" text not null);');
  }
}
class Migration20261102000001 extends Migration {
  override up(): void {
    this.addSql('alter table "note" add column "extra" int not null default 0;');
  }
}

class Migration20261102000003 extends OnlineMigration {
  override up(): void {
    this.buildIndex('note_text_index', '"note" ("text")');
  }
}

const billing = { name: 'billing', entities: [Note], migrations: [Migration20261102000000] };
const logging = { ...billing, name: 'logging' };

describe('openDatabase', () => {
  const opened: MikroORM[] = [];
  let database: TestDatabase;

  const open = async (options: Partial<Parameters<typeof openDatabase>[0]> = {}): Promise<MikroORM> => {
    const orm = await openDatabase({ definition: billing, url: database.url, log, migrate: 'start', ...options });
    opened.push(orm);
    return orm;
  };
  const admin = async <Row extends object>(text: string): Promise<Row[]> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<Row>(text);
    await client.end();
    return rows;
  };

  afterEach(async () => {
    for (const orm of opened.splice(0)) await orm.close(true);
    await database.drop();
  });

  it('gives two services in one process a schema and a role each, which cannot read each other', async () => {
    database = await createDatabase();
    const [one, two] = await Promise.all([open(), open({ definition: logging })]);
    const em = one.em.fork();
    em.create(Note, { text: 'mine' });
    await em.flush();
    expect(await two.em.fork().count(Note)).toBe(0);
    expect(await one.em.fork().execute('select current_user, current_schema() as schema')).toEqual([
      { current_user: 'tollgate_billing', schema: 'billing' },
    ]);
    expect(await one.em.fork().execute('select text from note')).toEqual([{ text: 'mine' }]);
    await expect(two.em.fork().execute('select * from billing.note')).rejects.toThrow(/permission denied/);
  });

  it('notices a machine that vanished without closing its connections, unless the URL says otherwise', async () => {
    database = await createDatabase();
    const settingsOf = async (url: string, own: string[] = []): Promise<string[]> => {
      const client = new Client(probedConfig(url, own));
      await client.connect();
      const names = ['tcp_keepalives_idle', 'tcp_keepalives_count', 'tcp_user_timeout', 'idle_session_timeout'];
      const { rows } = await client.query<{ name: string; setting: string }>(
        'select name, setting from pg_settings where name = any ($1)',
        [names],
      );
      await client.end();
      return names.map((name) => rows.find((row) => row.name === name)?.setting ?? '');
    };
    expect(await settingsOf(database.url)).toEqual(['10', '3', '20000', '0']);
    expect(await settingsOf(database.url, ['-c idle_session_timeout=15000'])).toEqual(['10', '3', '20000', '15000']);
    const ofOperator = new URL(database.url);
    ofOperator.searchParams.set('options', '-c tcp_keepalives_idle=60');
    expect(await settingsOf(ofOperator.toString())).toEqual(['60', '3', '20000', '0']);
    const service = clientConfig(ofOperator.toString(), { schema: 'billing' });
    expect(new URL(service.connectionString ?? '').searchParams.get('options')).toMatch(
      /idle=60 -c search_path=billing$/,
    );
  });

  it('migrates once when several processes start at the same time, and never twice', async () => {
    database = await createDatabase();
    await Promise.all([open(), open(), open()]);
    await open({ definition: { ...billing, migrations: [Migration20261102000000, Migration20261102000001] } });
    const rows = await admin<{ name: string }>('select name from billing.migration order by id');
    expect(rows.map(({ name }) => name)).toEqual([
      'Migration20261101000000EventTables',
      'Migration20261121091500QuarantineByValue',
      'Migration20261122130000QuarantineByEvent',
      'Migration20261122140000RefuseOutboxEvents',
      'Migration20261102000000',
      'Migration20261102000001',
    ]);
  });

  it('builds an index without blocking writers or other starts, and rebuilds one that an interrupted build left invalid', async () => {
    database = await createDatabase();
    const before = await open();
    const em = before.em.fork();
    await em.begin();
    await em.execute(`insert into "note" ("text") values ('not committed yet')`);
    const grown = { ...billing, migrations: [Migration20261102000000, Migration20261102000003] };
    const starting = Promise.all([
      open({ definition: grown }),
      open({ definition: grown }),
      open({ definition: grown }),
    ]);
    const state = `select indisvalid as valid from pg_index where indexrelid = to_regclass('billing.note_text_index')`;
    await eventually('the build of the index begins', async () => (await admin(state)).length > 0);
    // The index build waits for the writer, but does not block it.
    await before.em.fork().execute(`insert into "note" ("text") values ('written meanwhile')`);
    await em.commit();
    await starting;
    expect(await admin(state)).toEqual([{ valid: true }]);

    await admin(
      `delete from billing.migration where name = 'Migration20261102000003';
       update pg_index set indisvalid = false where indexrelid = 'billing.note_text_index'::regclass`,
    );
    await open({ definition: grown });
    expect(await admin(state)).toEqual([{ valid: true }]);
  });

  it('does not block readers while it waits for a table lock, logs who holds it, and continues when it is released', async () => {
    database = await createDatabase();
    const before = await open();
    const holder = before.em.fork();
    await holder.begin();
    await holder.execute('select * from "note"');
    const told: { msg: string; holders: string }[] = [];
    const warning = Logger.root('warn', { write: (line) => void told.push(JSON.parse(line) as (typeof told)[0]) });
    const grown = { ...billing, migrations: [Migration20261102000000, Migration20261102000001] };
    const starting = open({ definition: grown, log: warning });
    // The first attempt has timed out; only it could have blocked a reader.
    await eventually('the wait for the table is logged', () => told.length > 0);
    await before.em.fork().execute('select * from "note"');
    await holder.commit();
    await starting;
    expect(told[0]?.msg).toMatch(/schema "billing" needs a table that is in use, trying again in 0.5 s/);
    expect(told[0]?.holders).toMatch(/^process \d+ \(tollgate-billing, for \d+ s\)$/);
    expect(await admin('select count(*)::int as columns from "billing"."note" where "extra" = 0')).toEqual([
      { columns: 0 },
    ]);
  });

  it('gives up when a table stays locked, names the holders, and leaves the schema unchanged', async () => {
    database = await createDatabase();
    const before = await open();
    const holder = before.em.fork();
    await holder.begin();
    await holder.execute('select * from "note"');
    const grown = { ...billing, migrations: [Migration20261102000000, Migration20261102000001] };
    const orm = await MikroORM.init(
      ormConfig({ definition: grown, url: database.url, log, migrate: 'start' }, { schema: 'billing' }),
    );
    opened.push(orm);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const refusal = migrate({ orm, schema: 'billing', admin: client, log }, []);
      await expect(refusal).rejects.toMatchObject({
        code: 'migration-blocked',
        message: expect.stringMatching(/Locks there have: process \d+ \(tollgate-billing/),
      });
      await holder.rollback();
      expect((await orm.migrator.getPending()).map(({ name }) => name)).toEqual(['Migration20261102000001']);
      await migrate({ orm, schema: 'billing', admin: client, log }, []);
      expect(await orm.migrator.getPending()).toEqual([]);
    } finally {
      await client.end();
    }
  });

  it.each<[string, (end: () => Promise<unknown>) => (em: EntityManager) => Promise<unknown>]>([
    ['in a statement of a transaction', (end) => (em) => Promise.all([end(), em.execute('select pg_sleep(60)')])],
    ['before a transaction is committed', (end) => () => end()],
  ])('gives the place of a connection that was lost %s to another one', async (_, loser) => {
    database = await createDatabase();
    const orm = await open({ poolSize: 1 });
    const end = (): Promise<unknown> =>
      admin(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tollgate-billing'`);
    await expect(orm.em.fork().transactional(loser(end))).rejects.toThrow(/terminat|not queryable/);
    expect(await orm.em.fork().count(Note)).toBe(0);
  });

  it('gives the place of a connection that was lost when a transaction began to another one', async () => {
    database = await createDatabase();
    const orm = await open({ poolSize: 1 });
    const pool = await orm.em.getConnection().getNativeClient();
    pool.once('acquire', (client) => void (client as unknown as Client).end());
    await expect(orm.em.fork().transactional((em) => em.count(Note))).rejects.toThrow(/not queryable/);
    expect(await orm.em.fork().count(Note)).toBe(0);
  });

  it('lets a statement wait for a connection while all are taken', async () => {
    database = await createDatabase();
    const orm = await open({ poolSize: 1 });
    const order: string[] = [];
    const [hasConnection, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = orm.em.fork().transactional(async (em) => {
      await em.execute(`insert into "note" ("text") values ('first')`);
      hasConnection.resolve();
      await mayEnd.promise;
      order.push('first');
    });
    await hasConnection.promise;
    const second = orm.em
      .fork()
      .count(Note)
      .then((notes) => order.push(`second saw ${notes}`));
    // Long enough for the second to answer if it did not wait.
    await pause(200);
    mayEnd.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second saw 1']);
  });

  it('stores texts of clients and upstreams as JSON, whatever characters they contain', async () => {
    database = await createDatabase();
    const orm = await open({ definition: { name: 'facts', entities: [Fact], migrations: [Migration20261102000002] } });
    const em = orm.em.fork();
    em.create(Fact, { told: { 'a\0': ['\ud83d', 'whole 😀', '\\u0000'] } });
    await em.flush();
    const [row] = await orm.em.fork().find(Fact, {});
    expect(row?.told).toEqual({ 'a\ufffd': ['\ufffd', 'whole 😀', '\\u0000'] });
    await orm.em.fork().nativeUpdate(Fact, { id: row?.id ?? 0 }, { told: { b: '\0' } });
    expect((await orm.em.fork().find(Fact, {}))[0]?.told).toEqual({ b: '\ufffd' });
  });

  it('refuses an unmigrated schema when a job migrates, and says what is missing', async () => {
    database = await createDatabase();
    await expect(open({ migrate: 'never' })).rejects.toThrow(/TOLLGATE_MIGRATE/);
    await open();
    await expect(
      open({
        migrate: 'never',
        definition: { ...billing, migrations: [Migration20261102000000, Migration20261102000001] },
      }),
    ).rejects.toThrow(/Migration20261102000001/);
    const orm = await open({ migrate: 'never' });
    expect(await orm.em.fork().count(Note)).toBe(0);
  });

  it('goes on without roles when the user may not make any', async () => {
    database = await createDatabase();
    const name = `plain_${Date.now()}`;
    await admin(
      `create role ${name} login password 'plain'; grant create on database ${new URL(database.url).pathname.slice(1)} to ${name}`,
    );
    const url = new URL(database.url);
    url.username = name;
    url.password = 'plain';
    const orm = await open({ url: url.toString() });
    expect(await orm.em.fork().execute('select current_user, current_schema() as schema')).toEqual([
      { current_user: name, schema: 'billing' },
    ]);
    await orm.close(true);
    await admin(`drop owned by ${name} cascade; drop role ${name}`);
  });

  it('makes roles as a user who may create them without being a superuser', async () => {
    database = await createDatabase();
    const name = `creator_${Date.now()}`;
    const schema = `made_${Date.now()}`;
    await admin(
      `create role ${name} login createrole password 'plain'; grant create on database ${new URL(database.url).pathname.slice(1)} to ${name}`,
    );
    const url = new URL(database.url);
    url.username = name;
    url.password = 'plain';
    const orm = await open({ url: url.toString(), definition: { ...billing, name: schema } });
    expect(await orm.em.fork().execute('select current_user')).toEqual([{ current_user: `tollgate_${schema}` }]);
    await orm.close(true);
    await admin(
      `drop owned by tollgate_${schema} cascade; drop owned by ${name} cascade; drop role tollgate_${schema}; drop role ${name}`,
    );
  });

  it('names DATABASE_URL and hides the password when the server is away or refuses', async () => {
    database = await createDatabase();
    const url = new URL(database.url);
    url.password = 'not-the-one';
    url.username = 'nobody_here';
    const refused = await openDatabase({ definition: billing, url: url.toString(), log, migrate: 'start' }).catch(
      (error: Error) => error,
    );
    expect(refused).toMatchObject({ kind: 'unavailable', code: 'database-unreachable' });
    expect(String(refused)).toContain('DATABASE_URL');
    expect(String(refused)).not.toContain('not-the-one');
  });

  it('names DATABASE_URL when a file that it names is missing', async () => {
    const url = 'postgres://user:password@127.0.0.1:1/tollgate?sslmode=verify-full&sslrootcert=/nowhere';
    await expect(openDatabase({ definition: billing, url, log, migrate: 'start' })).rejects.toThrow(
      /^No connection to PostgreSQL at 127\.0\.0\.1:1\/tollgate: .*'\/nowhere'\. Check DATABASE_URL/,
    );
  });

  it('finds keywords literally', async () => {
    database = await createDatabase();
    const orm = await open();
    const em = orm.em.fork();
    for (const text of ['100% sure', '1000 sure', 'a_b', 'axb', 'back\\slash']) em.create(Note, { text });
    await em.flush();
    const find = async (keyword: string): Promise<string[]> =>
      (await orm.em.fork().find(Note, { text: { $like: likePattern(keyword) } }, { orderBy: { id: 'asc' } })).map(
        ({ text }) => text,
      );
    expect(await find('100%')).toEqual(['100% sure']);
    expect(await find('a_b')).toEqual(['a_b']);
    expect(await find('k\\s')).toEqual(['back\\slash']);
  });

  it('keeps sessions over a restart, and nothing else', async () => {
    database = await createDatabase();
    const hmac = (_label: string, text: string): string[] => [`hash-of-${text}`];
    const first = await durableKeyValue(new MemoryKeyValue(), database.url, log);
    const one = await new SessionStore(first, hmac).create({ userId: 1, sessionVersion: 1 });
    const two = await new SessionStore(first, hmac).create({ userId: 2, sessionVersion: 1 });
    await new SessionStore(first, hmac).revoke(two.cookieValue);
    await first.set('code:1', 'x', 60);
    await first.stop();

    const second = await durableKeyValue(new MemoryKeyValue(), database.url, log);
    const sessions = new SessionStore(second, hmac);
    expect(await sessions.read(one.cookieValue)).toMatchObject({ userId: 1 });
    expect(await sessions.read(two.cookieValue)).toBeUndefined();
    expect(await second.get('code:1')).toBeUndefined();
    await sessions.revoke(one.cookieValue);
    expect(await sessions.read(one.cookieValue)).toBeUndefined();
    expect(await second.setIfAbsent('session:lock', 'a', 60)).toBe(true);
    expect(await second.setIfAbsent('session:lock', 'b', 60)).toBe(false);
    expect(await second.extend('session:lock', 'b', 60)).toBe(false);
    expect(await second.extend('session:lock', 'a', 60)).toBe(true);
    expect(await second.deleteIf('session:lock', 'b')).toBe(false);
    expect(await second.get('session:lock')).toBe('a');
    expect(await second.deleteIf('session:lock', 'a')).toBe(true);
    expect(await second.extend('session:lock', 'a', 60)).toBe(false);
    expect(await second.setIfAbsent('session:lock', 'a', 60)).toBe(true);
    expect(await second.take('session:lock')).toBe('a');
    expect(await second.take('session:lock')).toBeUndefined();
    await second.stop();
  });

  it('keeps replies for repeated calls and their size over a restart, and counts that size atomically', async () => {
    database = await createDatabase();
    const counter = 'idempotency-bytes:1';
    const first = await durableKeyValue(new MemoryKeyValue(), database.url, log);
    const counts = await Promise.all([1, 2, 3].map(() => first.increment(counter, 1024, 60)));
    expect(counts.sort((one, other) => one - other)).toEqual([1024, 2048, 3072]);
    await first.stop();

    const second = await durableKeyValue(new MemoryKeyValue(), database.url, log);
    expect(await second.increment(counter, -1024, 60)).toBe(2048);
    await admin("update platform.session set expires_at = now() - interval '1 second'");
    expect(await second.increment(counter, 5, 60)).toBe(5);
    await expect(second.increment('session:1', 1, 60)).rejects.toThrow('not a counter');
    await second.stop();
  });
});
