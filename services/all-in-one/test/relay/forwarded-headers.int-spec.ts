import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { ask } from '../support/relay-site.js';

describe('headers of clients that a channel forwards', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let key: string;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    for (const [models, setting] of [
      ['gpt-4o', '{"forward_headers":["X-Title","User-Agent"]}'],
      ['gpt-4o-mini', ''],
    ])
      await testBed.channel({ name: models, type: 1, base_url: upstream.url, models, setting });
    key = await testBed.token(await testBed.user('titled', 100_000_000));
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  it.each([
    ['gpt-4o', true, { 'x-title': 'My App', 'user-agent': 'app/1' }],
    ['gpt-4o', false, { 'x-title': 'My App', 'user-agent': 'app/1' }],
    ['gpt-4o-mini', false, {}],
  ])('%s, stream %s', async (model, isStream, expected) => {
    const headers = { 'X-Title': 'My App', 'User-Agent': 'app/1', 'X-Private': 'p', Cookie: 'session=s' };
    const answer = await ask(testBed.url, { dialect: 'openai', key, isStream, prompt: 'hi', headers, body: { model } });
    expect(answer.status).toBe(200);
    await answer.text();
    const seen = upstream.journal().at(-1)?.headers ?? {};
    const { 'x-title': title, 'user-agent': agent, 'x-private': own, cookie } = seen;
    expect({ ...(title && { 'x-title': title }), ...(agent === 'app/1' && { 'user-agent': agent }) }).toEqual(expected);
    expect([own, cookie]).toEqual([undefined, undefined]);
  });
});
