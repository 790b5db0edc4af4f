import { type Query, ratingFault } from '@tollgate/billing';
import { Logger } from '@tollgate/chassis';
import { reconcile, type ReconcileReport } from '@tollgate/operations';
import { type FakeUpstream, type Stand, startFakeUpstream, startStand } from '@tollgate/testing';
import { Client, type QueryResult } from 'pg';
import { allServices } from '../src/index.js';
import { ask, eventually } from './relay-site.js';

export const log = Logger.root('silent');
export const REQUESTS = 6;

/** Some of everything that moves quota, in one product, for suites that then spoil one row at a time behind its back. */
export class ReconcileSite {
  /** Of the charged requests, oldest first. */
  ids: string[] = [];

  private constructor(
    readonly stand: Stand,
    private readonly upstream: FakeUpstream,
  ) {}

  static async start(): Promise<ReconcileSite> {
    const upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    const site = new ReconcileSite(await startStand(allServices), upstream);
    await site.fill();
    return site;
  }

  get url(): string {
    return this.stand.host.env.DATABASE_URL ?? '';
  }

  private async fill(): Promise<void> {
    const { stand, upstream } = this;
    await stand.channel({ name: 'books', base_url: upstream.url, models: 'gpt-4o' });
    const user = await stand.user('payer', 5_000_000);
    const key = await stand.token(user, { unlimited_quota: false, remain_quota: 1_000_000 });
    const [code] = await stand.root.data<string[]>('POST', '/api/redemption/', { name: 'gift', count: 1, quota: 700 });
    await user.data('POST', '/api/user/topup', { key: code });
    for (let index = 0; index < REQUESTS; index += 1)
      await (await ask(stand.url, { dialect: 'openai', key, prompt: `number ${index}` })).text();
    await eventually(
      () => this.look(),
      ({ sums, balanced }) => balanced && sums.every(({ requests }) => requests === REQUESTS),
      20_000,
    );
    // Idle blocks go back, so that nothing but the harm changes a lease from here on.
    await eventually(
      () => this.sql<{ held: string }>('select sum(held) as held from billing.account'),
      ([row]) => row?.held === '0',
      20_000,
    );
    this.ids = (
      await this.sql<{ id: string }>(
        `select "id" from billing.posting where "code" = 'consumption' and "amount" > 0 order by "id"`,
      )
    ).map(({ id }) => id);
  }

  async sql<Row extends object>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      const result: QueryResult<Row> | QueryResult<Row>[] = await client.query<Row>(text);
      return Array.isArray(result) ? [] : result.rows;
    } finally {
      await client.end();
    }
  }

  /** While rows are spoilt nothing is chained: a link to a row that is taken away again would stay. */
  async withoutChaining(work: () => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      await client.query('begin; select from billing.seal_progress for update');
      await work();
    } finally {
      await client.end();
    }
  }

  look(): Promise<ReconcileReport> {
    return reconcile({
      ...{ services: allServices, url: this.url, log, rate: ratingFault, patienceMs: 0 },
      period: { to: Date.now() + 60_000 },
    });
  }

  async close(): Promise<void> {
    await this.stand.close();
    await this.upstream.close();
  }
}

export async function withClient<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set search_path = billing');
    return await work(
      async <Row extends object>(text: string, values: unknown[] = []) => (await client.query<Row>(text, values)).rows,
    );
  } finally {
    await client.end();
  }
}
