import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, readUntil, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { ask, type ClientDialect, type LogRow, logRows, MODELS } from '../support/relay-site.js';

const PROMPT = 'three plain words';
type Policy = 'stop' | 'drain' | 'reported';
const POLICIES = ['stop', 'drain', 'reported'] as const;
const modelOf = (dialect: ClientDialect, policy: Policy): string => `${MODELS[dialect]}-${policy}`;
const CREDIT = 100_000_000;

interface Leaving {
  dialect?: ClientDialect;
  policy: Policy;
  isStream: boolean;
  /** Directives for the fake upstream. */
  fault: string;
  /** The client disconnects after reading this text; empty: as soon as the upstream has the request. */
  after?: string;
}

describe('a reply whose client disconnects', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let key: string;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    for (const policy of POLICIES) {
      for (const [dialect, type] of [
        ['openai', 1],
        ['anthropic', 14],
      ] as const)
        await testBed.channel({
          name: `${dialect} ${policy}`,
          type,
          base_url: upstream.url,
          models: modelOf(dialect, policy),
          setting: JSON.stringify({ abort_policy: policy }),
        });
    }
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    key = await testBed.token(await testBed.user('leaver', CREDIT));
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  /** Returns the only log row of an abandoned request. */
  async function leave({ dialect = 'openai', policy, isStream, fault, after = '' }: Leaving): Promise<LogRow> {
    const known = (await logRows(testBed)).length;
    const leaving = new AbortController();
    const prompt = `${PROMPT} [[${fault}]]`;
    const body = { model: modelOf(dialect, policy) };
    const asked = ask(testBed.url, { dialect, key, isStream, prompt, body, signal: leaving.signal });
    asked.catch(() => undefined);
    if (after === '')
      await readUntil(
        () => Promise.resolve(upstream.served()),
        (served) => served > 0,
      );
    else {
      const reader = (await asked).body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let received = ''; !received.includes(after);) {
        const { value, done } = (await reader?.read()) ?? { done: true };
        if (done) throw new Error(`"${after}" never came: ${received}`);
        received += value;
      }
    }
    leaving.abort();
    const rows = await readUntil(
      () => logRows(testBed),
      ({ length }) => length > known,
    );
    expect(rows.length).toBe(known + 1);
    return rows[0]!;
  }

  const wasCut = async (): Promise<boolean> =>
    readUntil(
      () => Promise.resolve(upstream.journal()[0]?.clientAborted === true),
      (aborted) => aborted,
      10_000,
    );

  const told = ({ other, prompt_tokens: sent, completion_tokens: received }: LogRow) => ({
    outcome: other.outcome,
    policy: other.abort_policy,
    source: other.usage_source,
    sent,
    received,
  });

  it.each(POLICIES)(
    'is read to its usage when the last text was already sent: %s',
    async (policy) => {
      const row = await leave({ policy, isStream: true, fault: 'tail=3000', after: '"finish_reason":"stop"' });
      expect(told(row)).toEqual({ outcome: 'client_abort', policy, source: 'upstream', sent: 3, received: 10 });
      expect(upstream.journal()[0]?.clientAborted).toBe(false);
    },
    60_000,
  );

  it.each(['openai', 'anthropic'] as const)(
    'is aborted and charged as far as it was received: %s',
    async (dialect) => {
      const row = await leave({ dialect, policy: 'stop', isStream: true, fault: 'tokens=60 tps=5', after: 'w8' });
      expect(await wasCut()).toBe(true);
      expect(told(row)).toMatchObject({ outcome: 'client_abort', policy: 'stop', source: 'estimated' });
      expect(row.prompt_tokens).toBeGreaterThanOrEqual(3);
      expect(row.completion_tokens).toBeGreaterThanOrEqual(8);
      expect(row.completion_tokens).toBeLessThan(40);
    },
    60_000,
  );

  it.each(['openai', 'anthropic'] as const)(
    'is drained to its usage when the channel is configured so: %s',
    async (dialect) => {
      const row = await leave({ dialect, policy: 'drain', isStream: true, fault: 'tokens=40 tps=20', after: 'w8' });
      expect(told(row)).toEqual({
        outcome: 'client_abort',
        policy: 'drain',
        source: 'upstream',
        sent: 3,
        received: 40,
      });
      expect(upstream.journal()[0]?.clientAborted).toBe(false);
    },
    60_000,
  );

  it('costs the usage reported so far when the channel is configured so', async () => {
    const fault = 'tokens=60 tps=20';
    const silent = await leave({ policy: 'reported', isStream: true, fault, after: 'w8' });
    expect(told(silent)).toEqual({
      outcome: 'client_abort',
      policy: 'reported',
      source: 'upstream',
      sent: 0,
      received: 0,
    });
    expect(silent.quota).toBe(0);
    const frank = await leave({ dialect: 'anthropic', policy: 'reported', isStream: true, fault, after: 'w8' });
    expect(told(frank)).toMatchObject({ source: 'upstream', sent: 3, received: 0 });
    expect(frank.quota).toBeGreaterThan(0);
  }, 60_000);

  it.each([true, false])(
    'costs at least its prompt before the first byte, stream %s',
    async (isStream) => {
      const row = await leave({ policy: 'stop', isStream, fault: 'latency=5000' });
      expect(await wasCut()).toBe(true);
      expect(told(row)).toMatchObject({ outcome: 'client_abort', policy: 'stop', source: 'estimated', received: 0 });
      expect(row.prompt_tokens).toBeGreaterThanOrEqual(3);
      expect(row.quota).toBeGreaterThan(0);
    },
    60_000,
  );

  it.each([true, false])(
    'is drained before its first byte too, stream %s',
    async (isStream) => {
      const row = await leave({ policy: 'drain', isStream, fault: 'latency=3000' });
      expect(told(row)).toEqual({
        outcome: 'client_abort',
        policy: 'drain',
        source: 'upstream',
        sent: 3,
        received: 10,
      });
    },
    60_000,
  );

  it('costs nothing when the upstream then failed', async () => {
    const row = await leave({ policy: 'drain', isStream: false, fault: 'latency=3000 status=500' });
    expect(row).toMatchObject({ quota: 0, prompt_tokens: 0 });
    expect(upstream.served()).toBe(1);
  }, 60_000);

  it('is charged so that the log rows add up to the spending of the wallet', async () => {
    const rows = (await logRows(testBed)).filter(({ other }) => other.outcome === 'client_abort');
    const paid = rows.reduce((sum, { quota }) => sum + quota, 0);
    const { id } = (
      await testBed.root.data<{ items: { id: number; username: string }[] }>('GET', '/api/user/?p=0')
    ).items.find(({ username }) => username === 'leaver')!;
    const left = await readUntil(
      async () => (await testBed.root.data<{ quota: number }>('GET', `/api/user/${id}`)).quota,
      (quota) => quota === CREDIT - paid,
    );
    expect(left).toBe(CREDIT - paid);
  }, 60_000);
});
