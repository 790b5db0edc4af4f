import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  startFakeUpstream,
  startSilentProxy,
  startTestBed,
  type TestBed,
  type TestProxy,
} from '@tollgate/testing';
import { type Answer, ask, read, rowOf } from '../support/relay-site.js';

/** Each channel serves one model, and the limits of the process would let the answers below end. */
const CHANNELS = {
  'gpt-4o': { first_byte_timeout: 0.5 },
  'gpt-4o-mini': { idle_timeout: 0.5 },
  'gpt-4': { total_timeout: 0.5 },
  'gpt-3.5-turbo': { first_byte_timeout: 30, idle_timeout: 30, total_timeout: 30 },
};

describe("a channel's own limits of time", () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let proxy: TestProxy;
  let key: string;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    proxy = await startSilentProxy();
    testBed = await startTestBed(allServices);
    for (const [models, setting] of Object.entries(CHANNELS))
      await testBed.channel({
        name: models,
        type: 1,
        base_url: upstream.url,
        models,
        setting: JSON.stringify(setting),
      });
    key = await testBed.token(await testBed.user('hurried', 100_000_000));
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await proxy?.close();
    await upstream?.close();
  });

  async function answerOf(model: string, fault: string, isStream = true): Promise<Answer> {
    const prompt = `hi [[tokens=10 ${fault}]]`;
    return read(await ask(testBed.url, { dialect: 'openai', key, isStream, prompt, body: { model } }), 'openai');
  }

  it.each([
    ['gpt-4o', 'latency=60000', true],
    ['gpt-4o', 'latency=60000', false],
    ['gpt-4', 'latency=60000', false],
  ])('%s with %s, stream %s: 504 before the first byte, and no charge', async (model, fault, isStream) => {
    const answer = await answerOf(model, fault, isStream);
    expect(answer).toMatchObject({ status: 504, end: 'error' });
    expect(await rowOf(testBed, answer.requestId)).toMatchObject({ type: 5, quota: 0 });
  });

  it.each([
    ['gpt-4o-mini', 'silence=4'],
    ['gpt-4', 'tps=4'],
  ])('%s with %s: the stream ends with an error, and what was delivered is charged', async (model, fault) => {
    const answer = await answerOf(model, fault);
    expect(answer).toMatchObject({ status: 200, end: 'error', error: { code: 'upstream_timeout' } });
    const row = await rowOf(testBed, answer.requestId);
    expect(row).toMatchObject({ type: 2, model_name: model });
    expect(row.quota).toBeGreaterThan(0);
    expect(upstream.journal().at(-1)).toMatchObject({ clientAborted: true });
  });

  it("a proxy that does not answer within a channel's time is passed over for another channel", async () => {
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    const [type, models] = [1, 'gpt-4-turbo'];
    const setting = JSON.stringify({ first_byte_timeout: 0.5, proxy: proxy.url });
    await testBed.channel({ name: 'behind', type, models, base_url: 'https://127.0.0.1:1', priority: 1, setting });
    await testBed.channel({ name: 'other', type, models, base_url: upstream.url });
    expect(await answerOf(models, '')).toMatchObject({ status: 200, end: 'done' });
    expect(proxy.targets).toEqual(['127.0.0.1:1']);
  });

  it.each([true, false])('longer ones change nothing, stream %s', async (isStream) => {
    expect(await answerOf('gpt-3.5-turbo', 'tps=50', isStream)).toMatchObject({ status: 200, end: 'done' });
  });
});
