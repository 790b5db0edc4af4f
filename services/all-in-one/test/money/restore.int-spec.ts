import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EntityManager, RequestContext } from '@mikro-orm/postgresql';
import { Sealer } from '@tollgate/billing';
import { listen, readEnv } from '@tollgate/chassis';
import { startProcess } from '@tollgate/process';
import {
  EPAY_ID,
  EPAY_KEY,
  type EpayTestGateway,
  type FakeUpstream,
  type OwnServer,
  Person,
  readUntil,
  setUpSite,
  type Site,
  startEpayGateway,
  startFakeUpstream,
  startKafka,
  startOwnPostgres,
  startRedis,
} from '@tollgate/testing';
import { Client } from 'pg';
import { allServices } from '../../src/index.js';
import { events } from '../../src/commands/events.js';
import { journal } from '../../src/commands/journal.js';
import { reconcileBooks } from '../../src/commands/reconcile.js';
import { ask } from '../support/relay-site.js';

interface Product {
  url: string;
  /** True once every posting is sealed. */
  seal(): Promise<boolean>;
  stop(): Promise<void>;
}

/** Everything that shows what users own and were charged. */
interface Books {
  postings: { id: string; code: string; amount: string }[];
  accounts: object[];
  tokens: object[];
  /** States of orders and codes. */
  deeds: object[];
  log: { request: string; quota: string }[];
  hours: object[];
}

const BEFORE = 5;
const DURING = 6;
const AFTER = 8;
const kafka = await startKafka();
const redis = await startRedis();
const canBackUp = existsSync('/usr/bin/pg_basebackup') || process.env.CI === 'true';
if (!canBackUp) process.stderr.write('SKIPPED: the restore of a backup, because there is no pg_basebackup\n');
afterAll(async () => {
  await redis?.stop();
  await kafka?.stop();
});

/** Follows the procedure of docs/operations.md with the same commands. */
(kafka && redis && canBackUp ? describe : describe.skip)('a database that is lost and restored', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-restore-'));
  const archive = join(folder, 'events.ndjson.gz');
  const topics = `${folder.split('-').at(-1)}-`;
  let upstream: FakeUpstream;
  let server: OwnServer;
  let backup = '';
  let copy = '';
  let third = '';
  let key = '';
  let wanted: Books;
  const exported = join(folder, 'export');
  let publicKey = '';

  const environment = (database: string, prefix = topics): Record<string, string> => ({
    DATABASE_URL: database,
    KAFKA_BROKERS: kafka?.brokers ?? '',
    REDIS_URL: redis?.url ?? '',
    TOLLGATE_TOPIC_PREFIX: prefix,
    TOLLGATE_DATA_DIR: folder,
    TOLLGATE_SECRET_KEY: 'the same secret key before and after',
    TOLLGATE_RATE_LIMITS: 'off',
    TOLLGATE_NOTICE_SECONDS: '0',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PORT: '0',
  });
  const start = async (variables: Record<string, string>): Promise<Product> => {
    const running = await startProcess(allServices, readEnv(variables));
    const front = running.services.get('gateway');
    if (!front) throw new Error('no gateway');
    const listener = await listen(front.app, '127.0.0.1', 0);
    return {
      url: `http://127.0.0.1:${listener.port}`,
      async seal() {
        const { app } = running.services.get('billing') ?? {};
        if (!app) throw new Error('no billing');
        const em = app.get(EntityManager);
        return RequestContext.create(em, async () => {
          await app.get<Sealer>(Sealer as never).seal();
          const [row] = await em.execute<{ left: string }[]>(
            `select (select count(*) from billing.posting) - (select coalesce(sum(position), 0) from
               (select distinct on (chain) chain, position from billing.journal_seal order by chain, position desc) s) as left`,
          );
          return Number(row?.left) === 0;
        });
      },
      async stop() {
        await listener.drain(1);
        await running.stop();
      },
    };
  };
  /** The output of a command, and its exit code. */
  async function told(variables: Record<string, string>, run: () => Promise<void>): Promise<string> {
    const before = { ...process.env };
    const write = process.stdout.write.bind(process.stdout);
    const said: string[] = [];
    Object.assign(process.env, variables);
    process.stdout.write = (text) => said.push(String(text)) > 0;
    try {
      await run();
    } finally {
      process.stdout.write = write;
      for (const name of Object.keys(variables)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
    const code = Number(process.exitCode ?? 0);
    process.exitCode = 0;
    return `${said.join('')}exit ${code}`;
  }
  const talk = async (url: string, count: number, text: string): Promise<void> => {
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const reply = await ask(url, { dialect: 'openai', key, prompt: `${text} ${index}`, isStream: index % 2 === 0 });
        expect([reply.status, (await reply.text()).length > 0]).toEqual([200, true]);
      }),
    );
  };
  const booksOf = async (database: string): Promise<Books> => {
    const client = new Client({ connectionString: database });
    await client.connect();
    const all = async <Row extends object>(text: string): Promise<Row[]> => (await client.query<Row>(text)).rows;
    try {
      return {
        postings: await all(`select id::text, code, amount::text from billing.posting order by id`),
        accounts: await all('select user_id, credit::text, spent::text, request_count from billing.account order by 1'),
        tokens: await all('select id, credit::text, spent::text from billing.token order by 1'),
        deeds: await all(
          `select trade_no as thing, status, paid_at is not null as done, refunded_at is not null as undone from billing.top_up_order
           union all select id::text, status::text || ' by ' || used_user_id, redeemed_time > 0, false from billing.redemption order by 1`,
        ),
        log: await all(`select event_id::text as request, quota::text from logging.log where type = 2 order by 1`),
        hours: await all(
          'select user_id, sum(quota)::text as quota, sum(count)::text as count from logging.quota_hour group by 1 order by 1',
        ),
      };
    } finally {
      await client.end();
    }
  };
  const consumed = ({ postings }: Books): number => postings.filter(({ code }) => code === 'consumption').length;
  const untilBooked = (database: string, count: number): Promise<Books> =>
    readUntil(
      () => booksOf(database),
      (books) => consumed(books) === count && books.log.length === count,
      30_000,
    );

  /** An order that is waiting for payment. */
  async function order(user: Person, gateway: EpayTestGateway): Promise<string> {
    const { body } = await user.call('POST', '/api/user/pay', { amount: 1, payment_method: 'zfb' });
    const form = body.data as Record<string, string>;
    await fetch(`${gateway.url}/submit.php`, { method: 'POST', body: new URLSearchParams(form) });
    return form['out_trade_no'] ?? '';
  }

  /** Creates orders and codes that are part of the backup; returns a function that changes them after it. */
  async function prepareDeeds({ root }: Site, user: Person, url: string): Promise<() => Promise<void>> {
    const gateway = await startEpayGateway();
    const options = { ServerAddress: url, PayAddress: gateway.url, EpayId: EPAY_ID, EpayKey: EPAY_KEY };
    for (const [name, value] of Object.entries(options)) await root.data('PUT', '/api/option/', { key: name, value });
    const [first, code] = await root.data<string[]>('POST', '/api/redemption/', { name: 'gift', count: 2, quota: 700 });
    await user.data('POST', '/api/user/topup', { key: first });
    const [early, late] = [await order(user, gateway), await order(user, gateway)];
    expect(await gateway.notify(early)).toBe('success');
    return async () => {
      await user.data('POST', '/api/user/topup', { key: code });
      expect(await gateway.notify(late)).toBe('success');
      const { items } = await root.data<{ items: { id: number; trade_no: string }[] }>('GET', '/api/user/topup');
      const id = items.find(({ trade_no: tradeNo }) => tradeNo === early)?.id;
      await root.data('POST', `/api/user/topup/${id}/refund`, { reason: 'asked for' });
      await gateway.close();
    };
  }

  beforeAll(async () => {
    upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    server = await startOwnPostgres();
    const product = await start(environment(server.url));
    const site = await setUpSite(product.url);
    await site.channel({ name: 'kept', base_url: upstream.url, models: 'gpt-4o' });
    const user = await site.user('payer', 5_000_000);
    key = await site.token(user, { unlimited_quota: false, remain_quota: 1_000_000 });
    const doDeeds = await prepareDeeds(site, user, product.url);
    await talk(product.url, BEFORE, 'before');
    await untilBooked(server.url, BEFORE);
    [backup] = await Promise.all([server.backUp(), talk(product.url, DURING, 'during')]);
    copy = `${backup}-copy`;
    third = `${backup}-third`;
    // Keeps the owner, as which the server runs.
    for (const name of [copy, third]) execFileSync('cp', ['-a', backup, name]);
    await talk(product.url, AFTER, 'after');
    await doDeeds();
    wanted = await untilBooked(server.url, BEFORE + DURING + AFTER);
    expect(await told(environment(server.url), () => events(['archive', archive]))).toContain(
      `${BEFORE + DURING + AFTER} events`,
    );
    await readUntil(() => product.seal(), Boolean, 30_000);
    const said = await told(environment(server.url), () => journal(['export', exported]));
    publicKey = /Public key: (\S+)/.exec(said)?.[1] ?? said;
    await product.stop();
    await server.stop();
  }, 180_000);
  afterAll(async () => {
    await upstream?.close();
    for (const gone of [folder, backup, copy, third]) if (gone !== '') rmSync(gone, { recursive: true, force: true });
  });

  async function expectTrueBooks(variables: Record<string, string>): Promise<void> {
    const { DATABASE_URL: url = '' } = variables;
    expect(consumed(await booksOf(url))).toBeLessThan(BEFORE + DURING + 1);
    const product = await start(variables);
    try {
      await untilBooked(url, BEFORE + DURING + AFTER);
      // Changes by people are not among the events of requests.
      expect(await told(variables, () => journal(['replay', exported, publicKey]))).toContain(
        '\n3 orders and codes were put',
      );
      expect(await booksOf(url)).toEqual(wanted);
      const root = new Person(product.url);
      await root.signIn('root', 'correct horse battery');
      await talk(product.url, 1, 'and on');
      await untilBooked(url, BEFORE + DURING + AFTER + 1);
    } finally {
      await product.stop();
    }
    expect(await told(variables, () => journal(['verify']))).toMatch(/ 0 faults\.\nexit 0$/);
    expect(await told(variables, () => reconcileBooks([]))).toMatch(/exit 0$/);
  }

  it('has the same books after a restore of a base backup and the topic', async () => {
    const restored = await startOwnPostgres(backup);
    const variables = environment(restored.url);
    try {
      expect(await told(variables, () => events(['replay']))).toMatch(/exit 0$/);
      await expectTrueBooks(variables);
    } finally {
      await restored.stop();
    }
  }, 120_000);

  it('has the same books after a restore from the archive, when the topic is lost too', async () => {
    const restored = await startOwnPostgres(copy);
    const variables = environment(restored.url, `${topics}new-`);
    try {
      expect(await told(variables, () => events(['replay', '--archive', archive]))).toContain('events of the archive');
      await expectTrueBooks(variables);
    } finally {
      await restored.stop();
    }
  }, 120_000);

  it('has every posting, order and code after a restore of the journal export alone, while leases were out', async () => {
    const restored = await startOwnPostgres(third);
    const { url } = restored;
    const one = async (text: string): Promise<number> => {
      const client = new Client({ connectionString: url, options: '-c search_path=billing' });
      await client.connect();
      const { rows } = await client.query<{ n: string }>(text);
      await client.end();
      return Number(rows[0]?.n);
    };
    try {
      expect(await one('select sum(held) as n from account')).toBeGreaterThan(0);
      expect(await told(environment(url), () => journal(['replay', exported, publicKey]))).toContain(
        '\n3 orders and codes were put',
      );
      const { postings, accounts, tokens, deeds } = await booksOf(url);
      expect({ ...wanted, postings, accounts, tokens, deeds }).toEqual(wanted);
      expect(await one('select count(*) as n from held_faults()')).toBe(0);
      expect(await told(environment(url), () => journal(['replay', exported, publicKey]))).toMatch(/^0 of /m);
    } finally {
      await restored.stop();
    }
  }, 120_000);
});
