import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { ratingFault } from '@tollgate/billing';
import { Logger } from '@tollgate/chassis';
import { reconcile } from '@tollgate/operations';
import { type FakeUpstream, readUntil, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import {
  type Answer,
  ask,
  type ClientDialect,
  type LogRow,
  logRows,
  MODELS,
  quotaOf,
  read,
  rowOf,
} from '../support/relay-site.js';

const PROMPT = 'three plain words';
/** Charge of three prompt words and ten reply words, at the default ratios of the two models. */
const FULL = { openai: Math.round((3 + 10 * 4) * 1.25), anthropic: Math.round((3 + 10 * 5) * 1.5) };
const WORDS = 'w1 w2 w3 w4 w5 w6 w7 w8 w9 w10';

const CHINESE_WORDS = Array.from({ length: 10 }, (_, index) => `词${index + 1}号`).join(' ');

type Bill = 'full' | 'nothing' | 'some';

interface Row {
  /** Directives for the fake upstream. */
  fault: string;
  status: number;
  end: Answer['end'];
  type: 2 | 5;
  outcome: 'completed' | 'upstream_cut' | 'failed';
  source: 'upstream' | 'estimated';
  bill: Bill;
  /** Code of the error in the log row. */
  code?: string;
}

const completed = {
  status: 200,
  end: 'done',
  type: 2,
  outcome: 'completed',
  source: 'upstream',
  bill: 'full',
} as const;
const cut = { status: 200, end: 'error', type: 2, outcome: 'upstream_cut', source: 'estimated', bill: 'some' } as const;
const failed = { status: 500, end: 'error', type: 5, outcome: 'failed', source: 'upstream', bill: 'nothing' } as const;
const estimated = { ...completed, source: 'estimated', bill: 'some' } as const;

/** The specified outcome of each kind of request: what the client sees, what is logged, and the charge. */
const streams: Row[] = [
  { fault: 'tps=0', ...completed },
  { fault: 'cut=0', ...cut },
  { fault: 'cut=4', ...cut, code: 'upstream_cut' },
  { fault: 'silence=4', ...cut, code: 'upstream_timeout' },
  { fault: 'error=4', ...cut },
  { fault: 'malformed=3', ...completed },
  { fault: 'usage=twice', ...completed },
  { fault: 'usage=zero', ...completed, bill: 'nothing' },
  { fault: 'usage=absent', ...estimated },
  { fault: 'content=text/plain', ...completed },
  { fault: 'content=application/json', ...completed },
  { fault: 'content=application/octet-stream gzip', ...completed },
  { fault: 'content=text/plain error200', ...failed },
  { fault: 'error200', ...failed },
  { fault: 'gzip', ...completed },
  { fault: 'crlf', ...completed },
  { fault: 'split', ...completed },
  { fault: 'gzip crlf split', ...completed },
  { fault: 'huge=300000', ...completed },
  { fault: 'huge=11000000', ...cut },
  { fault: 'noend', ...completed },
  { fault: 'whole', ...completed },
  { fault: 'whole content=text/plain', ...completed },
  { fault: 'whole usage=absent', ...estimated },
  { fault: 'whole error200', ...failed },
  { fault: 'status=503', ...failed, status: 503 },
  { fault: 'latency=8000', ...failed, status: 504 },
];

const wholeReplies: Row[] = [
  { fault: 'tps=0', ...completed },
  { fault: 'cut=0', ...failed },
  { fault: 'usage=twice', ...completed },
  { fault: 'usage=zero', ...completed, bill: 'nothing' },
  { fault: 'usage=absent', ...estimated },
  { fault: 'content=text/html', ...completed },
  { fault: 'error200', ...failed },
  { fault: 'gzip', ...completed },
  { fault: 'split', ...completed },
  { fault: 'huge=11000000', ...completed },
  { fault: 'status=503', ...failed, status: 503 },
  { fault: 'latency=8000', ...failed, status: 504 },
];

const label = (row: Row): [string, Row] => [row.fault, row];

describe('the outcome of a request', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let key: string;
  let userId: number;
  const CREDIT = 100_000_000;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices, {
      TOLLGATE_PUBLIC_METRICS: 'on',
      TOLLGATE_STREAM_IDLE_SECONDS: '3',
      TOLLGATE_UPSTREAM_TIMEOUT_SECONDS: '3',
    });
    await testBed.channel({ name: 'openai', type: 1, base_url: upstream.url, models: MODELS.openai });
    await testBed.channel({ name: 'claude', type: 14, base_url: upstream.url, models: MODELS.anthropic });
    const user = await testBed.user('observer', CREDIT);
    userId = user.id;
    key = await testBed.token(user);
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  async function expectOutcome(dialect: ClientDialect, isStream: boolean, row: Row): Promise<void> {
    const prompt = `${PROMPT} [[${row.fault}]]`;
    const answer = await read(await ask(testBed.url, { dialect, key, isStream, prompt }), dialect);
    expectAnswer(answer, row, { dialect, isStream });
    const { type, is_stream, quota, other } = await rowOf(testBed, answer.requestId);
    expect({ type, is_stream, outcome: other.outcome, source: other.usage_source }).toEqual({
      type: row.type,
      is_stream: isStream,
      outcome: row.outcome,
      source: row.source,
    });
    if (row.code !== undefined) expect(other.error_code).toBe(row.code);
    expectBill(dialect, row, quota);
  }

  function expectAnswer(
    answer: Answer,
    row: Row,
    { dialect, isStream }: { dialect: ClientDialect; isStream: boolean },
  ): void {
    expect({ status: answer.status, end: answer.end }).toEqual({ status: row.status, end: row.end });
    expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
    if (row.status === 200) expect(answer.contentType.includes('event-stream')).toBe(isStream);
    if (answer.end === 'error') expect(answer.error?.message).toContain(`(request id: ${answer.requestId})`);
    // Claude's dialect has no code.
    if (row.code !== undefined && dialect === 'openai') expect(answer.error?.code).toBe(row.code);
    if (row.fault.includes('split')) expect(answer.text).toBe(CHINESE_WORDS);
    else if (row.outcome === 'completed' && !row.fault.includes('huge')) expect(answer.text).toBe(WORDS);
  }

  /** Requests sixty words and disconnects after eight of them or, without a stream, while the upstream is writing. */
  async function leave(dialect: ClientDialect, isStream: boolean): Promise<void> {
    const leaving = new AbortController();
    const prompt = `${PROMPT} [[tokens=60 tps=5]]`;
    const asked = ask(testBed.url, { dialect, key, isStream, prompt, signal: leaving.signal });
    if (isStream) {
      const reader = (await asked).body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let received = ''; !received.includes('w8');) received += (await reader?.read())?.value ?? '';
    } else
      await readUntil(
        () => Promise.resolve(upstream.journal().length),
        (calls) => calls > 0,
      );
    leaving.abort();
    await asked.catch(() => undefined);
  }

  const abandoned = async (dialect: ClientDialect, isStream: boolean): Promise<LogRow[]> =>
    (await logRows(testBed)).filter(
      (row) => row.other.outcome === 'client_abort' && row.model_name === MODELS[dialect] && row.is_stream === isStream,
    );

  function expectBill(dialect: ClientDialect, { bill, fault }: Row, quota: number): void {
    if (bill === 'full') expect(quota).toBe(FULL[dialect]);
    if (bill === 'nothing') expect(quota).toBe(0);
    if (bill === 'some') expect(quota).toBeGreaterThan(0);
    // Our own count of a few short words is close to the upstream's; the long line is rightly expensive.
    if (bill === 'some' && !fault.includes('huge')) expect(quota).toBeLessThan(4 * FULL[dialect]);
  }

  describe.each(['openai', 'anthropic'] as const)('%s', (dialect) => {
    it.each(streams.map(label))('stream with %s', (_, row) => expectOutcome(dialect, true, row), 60_000);
    it.each(wholeReplies.map(label))('whole reply with %s', (_, row) => expectOutcome(dialect, false, row), 60_000);

    it.each([true, false])(
      'client disconnects, stream %s: the upstream is aborted, and what was delivered is billed',
      async (isStream) => {
        upstream.reset();
        await leave(dialect, isStream);
        const heard = await readUntil(
          () => Promise.resolve(upstream.journal().map(({ clientAborted }) => clientAborted)),
          ([aborted]) => aborted === true,
          10_000,
        );
        expect(heard).toEqual([true]);
        const rows = await readUntil(
          () => abandoned(dialect, isStream),
          ({ length }) => length > 0,
        );
        expect(rows).toMatchObject([{ type: 2, model_name: MODELS[dialect] }]);
        // About as many as have arrived, not the sixty that were requested.
        const words = rows[0]?.completion_tokens ?? -1;
        expect(words).toBeGreaterThanOrEqual(isStream ? 8 : 0);
        expect(words).toBeLessThan(isStream ? 40 : 1);
        expect(rows[0]?.quota).toBeGreaterThan(0);
      },
      60_000,
    );
  });

  it('is counted where events of a stream were skipped', async () => {
    const counts = async (): Promise<number[]> => {
      const text = await (await fetch(`${testBed.url}/metrics`)).text();
      const of = (channel: number): number => {
        const series = `^tollgate_relay_malformed_events_total\\{channel="${channel}",service="relay"\\} (\\d+)$`;
        return Number(new RegExp(series, 'm').exec(text)?.[1] ?? 0);
      };
      return [of(1), of(2)];
    };
    const [openai = 0, anthropic = 0] = await counts();
    for (const dialect of ['openai', 'anthropic'] as const)
      await read(
        await ask(testBed.url, { dialect, key, isStream: true, prompt: `${PROMPT} [[malformed=3]]` }),
        dialect,
      );
    const more = [openai + 1, anthropic + 1];
    expect(await readUntil(counts, (now) => now.join() === more.join())).toEqual(more);
  });

  it('is charged so that the log rows add up to the spending of the wallet', async () => {
    const sum = async (): Promise<number> =>
      (await logRows(testBed)).filter((row) => row.user_id === userId).reduce((total, { quota }) => total + quota, 0);
    // Log rows and wallet are booked by two services at different times.
    const [quota, sold] = await readUntil(
      async () => [await quotaOf(testBed, userId), await sum()],
      ([left = 0, rows = 0]) => rows > 0 && left === CREDIT - rows,
    );
    expect(sold).toBeGreaterThan(0);
    expect(quota).toBe(CREDIT - (sold ?? 0));
  }, 60_000);

  it('leaves correct books, in which calls that used nothing count as no requests', async () => {
    const url = testBed.host.env.DATABASE_URL ?? '';
    const look = () =>
      reconcile({
        ...{ services: allServices, url, log: Logger.root('silent'), rate: ratingFault, patienceMs: 0 },
        period: { to: Date.now() + 60_000 },
      });
    const { faults } = await readUntil(look, ({ balanced }) => balanced, 20_000);
    expect(faults).toEqual([]);
    const rows = (await logRows(testBed)).filter((row) => row.user_id === userId && row.type === 2);
    const used = rows.filter((row) => row.prompt_tokens + row.completion_tokens > 0);
    expect(used.length).toBeLessThan(rows.length);
    const self = await testBed.root.data<{ request_count: number }>('GET', `/api/user/${userId}`);
    expect(self.request_count).toBe(used.length);
  }, 60_000);
});
