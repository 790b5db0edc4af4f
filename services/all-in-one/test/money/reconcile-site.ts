import { type Query, ratingFault } from '@tollgate/billing';
import { Logger } from '@tollgate/chassis';
import { reconcile, type ReconcileReport } from '@tollgate/operations';
import {
  EPAY_ID,
  EPAY_KEY,
  type FakeUpstream,
  type Person,
  readUntil,
  type TestBed,
  startEpayGateway,
  startFakeUpstream,
  startTestBed,
  startTaskUpstream,
  TASK_KEY,
} from '@tollgate/testing';
import { Client, type QueryResult } from 'pg';
import { allServices } from '../../src/index.js';
import { ask } from '../support/relay-site.js';

export const log = Logger.root('silent');
export const REQUESTS = 6;

/**
 * A change of stored rows that the reconciliation must report, and the subject that its report must name. `ID` in the
 * SQL and in the subject stands for the id of a request. The rows are restored after each change.
 */
export type Harm = [kind: string, table: string, sql: string, subject: string | RegExp];

/** A product with some of every kind of movement, for suites that then damage one row at a time. */
export class ReconcileSite {
  /** Ids of the charged requests, oldest first. */
  ids: string[] = [];
  private payer: Person | undefined;
  private key = '';

  private constructor(
    readonly testBed: TestBed,
    private readonly upstream: FakeUpstream,
  ) {}

  static async start(): Promise<ReconcileSite> {
    const upstream = await startFakeUpstream({ behaviour: { tokens: 10 } });
    const site = new ReconcileSite(await startTestBed(allServices), upstream);
    await site.fill();
    return site;
  }

  get url(): string {
    return this.testBed.host.env.DATABASE_URL ?? '';
  }

  private async fill(): Promise<void> {
    const { testBed, upstream } = this;
    await testBed.channel({ name: 'books', base_url: upstream.url, models: 'gpt-4o' });
    const user = await testBed.user('payer', 5_000_000);
    const key = await testBed.token(user, { unlimited_quota: false, remain_quota: 1_000_000 });
    [this.payer, this.key] = [user, key];
    const [code] = await testBed.root.data<string[]>('POST', '/api/redemption/', {
      name: 'gift',
      count: 1,
      quota: 700,
    });
    await user.data('POST', '/api/user/topup', { key: code });
    for (let index = 0; index < REQUESTS; index += 1)
      await (await ask(testBed.url, { dialect: 'openai', key, prompt: `number ${index}` })).text();
    await readUntil(
      () => this.look(),
      ({ sums, balanced }) => balanced && sums.every(({ requests }) => requests === REQUESTS),
      20_000,
    );
    await this.untilNothingIsLent();
    this.ids = (
      await this.sql<{ id: string }>(
        `select "id" from billing.posting where "code" = 'consumption' and "amount" > 0 order by "id"`,
      )
    ).map(({ id }) => id);
  }

  /** Waits until idle blocks are returned, so that leases do not change any more. */
  private untilNothingIsLent(): Promise<unknown> {
    return readUntil(
      () => this.sql<{ held: string }>('select sum(held) as held from billing.account'),
      ([row]) => row?.held === '0',
      20_000,
    );
  }

  /** Creates a paid order, a provider's invoice, a successful drawing and a refunded one. */
  async payAndDraw(): Promise<void> {
    const gateway = await startEpayGateway();
    const upstream = await startTaskUpstream();
    try {
      await this.pay(gateway);
      await this.importInvoice();
      await this.testBed.channel({ name: 'mj', type: 2, key: TASK_KEY, base_url: upstream.url, models: 'mj_imagine' });
      for (const status of ['SUCCESS', 'FAILURE']) {
        const { result } = await this.draw();
        upstream.drawings.set(result, { id: result, status, progress: '100%', failReason: 'as told' });
      }
      await readUntil(
        () => this.sql<object>(`select from channel.task where over_at is not null`),
        (tasks) => tasks.length === 2,
        20_000,
      );
      await readUntil(
        () => this.sql<object>(`select from billing.posting where code = 'task-refund'`),
        (rows) => rows.length === 1,
        20_000,
      );
      await this.untilNothingIsLent();
      await readUntil(
        () => this.look(),
        ({ balanced }) => balanced,
        20_000,
      );
    } finally {
      await gateway.close();
      await upstream.close();
    }
  }

  private async pay(gateway: Awaited<ReturnType<typeof startEpayGateway>>): Promise<void> {
    const { root, url } = this.testBed;
    const options = { ServerAddress: url, PayAddress: gateway.url, EpayId: EPAY_ID, EpayKey: EPAY_KEY };
    for (const [key, value] of Object.entries(options)) await root.data('PUT', '/api/option/', { key, value });
    // Every replica learns of an option within a second.
    const form = await readUntil(
      async () =>
        (await this.payer?.call<Record<string, string>>('POST', '/api/user/pay', { amount: 1, payment_method: 'zfb' }))
          ?.body.data,
      (data) => data?.['notify_url']?.startsWith(url) === true,
      20_000,
    );
    await fetch(`${gateway.url}/submit.php`, { method: 'POST', body: new URLSearchParams(form) });
    await gateway.notify(form?.['out_trade_no'] ?? '');
  }

  private async importInvoice(): Promise<void> {
    const rows = ['gpt-4o', 'gpt-4o-mini'].map((model) => `2026-11-20T00:00:00+00:00,${model},2,100,10,20`);
    const csv = [
      'start_time_iso,model,num_model_requests,input_tokens,input_cached_tokens,output_tokens',
      ...rows,
    ].join('\n');
    await this.testBed.root.data('POST', '/api/invoice', { name: 'November', format: 'openai', channel_ids: [1], csv });
  }

  private async draw(): Promise<{ result: string }> {
    const reply = await fetch(`${this.testBed.url}/mj/submit/imagine`, {
      method: 'POST',
      headers: { 'mj-api-secret': this.key, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a cat' }),
    });
    return (await reply.json()) as { result: string };
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

  /** Stops the chaining while rows are damaged, because links to rows that are removed later would remain. */
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

  look(rate: typeof ratingFault = ratingFault): Promise<ReconcileReport> {
    return reconcile({
      ...{ services: allServices, url: this.url, log, rate, patienceMs: 0 },
      period: { to: Date.now() + 60_000 },
    });
  }

  async close(): Promise<void> {
    await this.testBed.close();
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
