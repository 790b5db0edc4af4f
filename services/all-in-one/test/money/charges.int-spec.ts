import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type FakeUpstream,
  GEMINI_KEY,
  type GeminiUpstream,
  readUntil,
  type TestBed,
  startFakeUpstream,
  startGeminiUpstream,
  startTestBed,
} from '@tollgate/testing';
import { quotaOf, rowOf } from '../support/relay-site.js';

const CLAUDE = 'claude-3-7-sonnet-20250219';
const WEB = { type: 'web_search', search_context_size: 'low' };
const FILES = { type: 'file_search', vector_store_ids: ['vs_1'] };
const CLAUDE_WEB = { type: 'web_search_20250305', name: 'web_search' };
/** Price of one search, in units: 30 and 2.5 dollars per thousand. */
const OF_WEB = 15_000;
const OF_FILES = 1_250;
/** 10 and 14 dollars per thousand. */
const OF_CLAUDE = 5_000;
const OF_GOOGLE = 7_000;
const GEMINI = 'gemini-2.0-flash';

interface SearchRow {
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  content: string;
  other: Record<string, unknown>;
}

describe('charges beside the tokens: searches that an upstream makes, and ratios of groups', () => {
  let upstream: FakeUpstream;
  let google: GeminiUpstream;
  let testBed: TestBed;
  let key: string;
  let user: number;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    google = await startGeminiUpstream();
    testBed = await startTestBed(allServices);
    await testBed.channel({ models: 'gpt-4o', base_url: upstream.url });
    await testBed.channel({ name: 'claude', type: 14, models: CLAUDE, base_url: upstream.url });
    await testBed.channel({ name: 'google', type: 24, key: GEMINI_KEY, models: GEMINI, base_url: google.url });
    await testBed.channel({ name: 'deepseek', type: 43, models: 'deepseek-chat', base_url: upstream.url });
    const person = await testBed.user('searcher', 100_000_000);
    user = person.id;
    key = await testBed.token(person);
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await google?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  const post = (path: string, body: object, of = key): Promise<Response> =>
    fetch(`${testBed.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${of}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const respond = (body: object) => post('/v1/responses', { model: 'gpt-4o', max_output_tokens: 50, ...body });
  const message = (prompt: string, body: object) =>
    post('/v1/messages', { model: CLAUDE, max_tokens: 50, messages: [{ role: 'user', content: prompt }], ...body });
  const rowFor = async (reply: Response): Promise<SearchRow> =>
    (await rowOf(testBed, reply.headers.get('x-oneapi-request-id') ?? '')) as unknown as SearchRow;
  const sentTools = () => upstream.journal().at(-1)?.body;
  const refusalOf = async (reply: Response) => {
    const { error } = (await reply.json()) as { error: { code?: string; message: string } };
    return { status: reply.status, code: error.code, message: error.message };
  };

  it.each([false, true])(
    'in the Responses API are charged per search beside the tokens (stream: %s)',
    async (stream) => {
      const before = await quotaOf(testBed, user);
      const reply = await respond({ input: 'hello [[searches=2 files=1]]', tools: [WEB, FILES], stream });
      expect(reply.status).toBe(200);
      const text = await reply.text();
      expect(text).toContain('web_search_call');
      const row = await rowFor(reply);
      const tokens = Math.round((row.prompt_tokens + 4 * row.completion_tokens) * 1.25);
      expect(row.quota).toBe(tokens + 2 * OF_WEB + OF_FILES);
      expect(row.other).toMatchObject({
        ...{ web_search: true, web_search_call_count: 2, web_search_price: 30, web_search_context_size: 'low' },
        ...{ file_search: true, file_search_call_count: 1, file_search_price: 2.5 },
      });
      expect(row.content).toContain('Web Search 调用 2 次，上下文大小 low，调用花费 $0.060000');
      expect(sentTools()).toMatchObject({ max_tool_calls: 10 });
      await readUntil(
        () => quotaOf(testBed, user),
        (left) => before - left === row.quota,
      );
    },
  );

  it('are charged up to the limit of the client, and cost nothing when none was made', async () => {
    const limited = await rowFor(await respond({ input: 'x [[searches=5]]', tools: [WEB], max_tool_calls: 1 }));
    expect(limited.other.web_search_call_count).toBe(1);
    const none = await rowFor(await respond({ input: 'x', tools: [WEB] }));
    expect(none.other.web_search).toBeUndefined();
    expect(none.quota).toBe(Math.round((none.prompt_tokens + 4 * none.completion_tokens) * 1.25));
  });

  it('are charged to a client that disconnects after the search', async () => {
    const left = new AbortController();
    const reply = await fetch(`${testBed.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'gpt-4o', stream: true, tools: [WEB] },
        input: 'x [[searches=3 tokens=40 tps=20]]',
      }),
      signal: left.signal,
    });
    const reader = reply.body?.getReader();
    let seen = '';
    while (!seen.includes('output_text.delta')) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) break;
      seen += Buffer.from(value as Uint8Array).toString('utf8');
    }
    left.abort();
    const row = await rowFor(reply);
    expect(row.other).toMatchObject({ outcome: 'client_abort', web_search_call_count: 3 });
    expect(row.quota).toBeGreaterThanOrEqual(3 * OF_WEB);
  });

  it.each([false, true])('of Claude are charged per search in its own dialect (stream: %s)', async (stream) => {
    const reply = await message('hello [[searches=2]]', { tools: [CLAUDE_WEB], stream });
    expect(reply.status).toBe(200);
    expect(await reply.text()).toContain('web_search_tool_result');
    const row = await rowFor(reply);
    const tokens = Math.round((row.prompt_tokens + 5 * row.completion_tokens) * 1.5);
    expect(row.quota).toBe(tokens + 2 * OF_CLAUDE);
    expect(row.other).toMatchObject({ web_search: true, web_search_call_count: 2, web_search_price: 10 });
    expect(sentTools()).toMatchObject({ tools: [{ ...CLAUDE_WEB, max_uses: 10 }] });
  });

  it.each([false, true])(
    'in chat completions are charged once per call, by context size (stream: %s)',
    async (stream) => {
      // A user of its own, because charges of the tests before may be booked only now.
      const credit = 100_000_000;
      const person = await testBed.user(`chat-${stream}`, credit);
      const asked = { model: 'gpt-4o', max_tokens: 50, stream, messages: [{ role: 'user', content: 'hello' }] };
      const body = { ...asked, web_search_options: { search_context_size: 'low' } };
      const reply = await post('/v1/chat/completions', body, await testBed.token(person));
      expect(reply.status).toBe(200);
      await reply.text();
      const row = await rowFor(reply);
      const tokens = Math.round((row.prompt_tokens + 4 * row.completion_tokens) * 1.25);
      expect(row.quota).toBe(tokens + OF_WEB);
      expect(row.other).toMatchObject({
        ...{ web_search: true, web_search_call_count: 1, web_search_price: 30, web_search_context_size: 'low' },
      });
      expect(row.content).toContain('Web Search 调用 1 次，上下文大小 low，调用花费 $0.030000');
      expect(upstream.journal().at(-1)?.body).toMatchObject({ web_search_options: { search_context_size: 'low' } });
      const left = await readUntil(
        () => quotaOf(testBed, person.id),
        (quota) => quota !== credit,
      );
      expect(credit - left).toBe(row.quota);
    },
  );

  it.each([
    ['/v1/chat/completions', false],
    ['/v1/chat/completions', true],
    ['/v1/messages', true],
    ['/v1/responses', false],
  ])('of Google are charged per query, for a function of that name (%s, stream: %s)', async (path, stream) => {
    google.behave({ queries: ['first', 'second'] });
    const messages = [{ role: 'user', content: 'hello' }];
    const shapes: Record<string, (name: string) => object> = {
      '/v1/chat/completions': (name) => ({ type: 'function', function: { name } }),
      '/v1/messages': (name) => ({ name, input_schema: { type: 'object' } }),
      '/v1/responses': (name) => ({ type: 'function', name, parameters: null, strict: false }),
    };
    const tools = ['googleSearch', 'time'].map((name) => shapes[path]?.(name));
    const asked = path.endsWith('responses') ? { input: 'hello' } : { messages, max_tokens: 50 };
    const reply = await post(path, { model: GEMINI, stream, tools, ...asked });
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('Hello')]);
    const row = await rowFor(reply);
    expect(google.calls.at(-1)?.body).toMatchObject({
      tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: 'time' }] }],
    });
    expect(row.other).toMatchObject({ web_search: true, web_search_call_count: 2, web_search_price: 14 });
    expect(row.quota).toBe(Math.round((21 + 10 * 4) * 0.05) + 2 * OF_GOOGLE);
  });

  it.each(['generateContent', 'streamGenerateContent?alt=sse'])(
    'of Google are charged in its own dialect, too (%s)',
    async (method) => {
      google.behave({ queries: ['first', 'second'] });
      const body = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], tools: [{ googleSearch: {} }] };
      const reply = await post(`/v1beta/models/${GEMINI}:${method}`, body);
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('first')]);
      expect(JSON.parse(google.calls.at(-1)?.bytes ?? '')).toEqual(body);
      const row = await rowFor(reply);
      expect(row.other).toMatchObject({ web_search: true, web_search_call_count: 2, web_search_price: 14 });
      expect(row.quota).toBe(Math.round((21 + 10 * 4) * 0.05) + 2 * OF_GOOGLE);
      const elsewhere = await post('/v1beta/models/gpt-4o:generateContent', body);
      expect([elsewhere.status, await elsewhere.text()]).toEqual([
        400,
        expect.stringContaining('no channel of model gpt-4o speaks to an upstream that searches'),
      ]);
    },
  );

  it('of Google cost nothing when none was made, or when the client defines the function', async () => {
    const tools = [{ type: 'function', function: { name: 'googleSearch' } }];
    const asked = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 50, tools };
    google.behave({});
    for (const model of [GEMINI, 'gpt-4o']) {
      const reply = await post('/v1/chat/completions', { model, ...asked });
      expect(reply.status).toBe(200);
      const row = await rowFor(reply);
      expect(row.other).not.toHaveProperty('web_search');
    }
    expect(upstream.journal().at(-1)?.body).toMatchObject({ tools });
  });

  it('are refused before an upstream call when no upstream supports them or no price covers them', async () => {
    const served = upstream.served();
    expect(await refusalOf(await respond({ model: 'deepseek-chat', input: 'x', tools: [WEB] }))).toMatchObject({
      ...{ status: 400, code: 'invalid_responses_request' },
      message: expect.stringContaining('no channel of model deepseek-chat speaks to an upstream that searches'),
    });
    expect(await refusalOf(await message('x', { model: 'gpt-4o', tools: [CLAUDE_WEB] }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('no channel of model gpt-4o speaks to an upstream that searches'),
    });
    const chat = { model: 'deepseek-chat', messages: [{ role: 'user', content: 'x' }], web_search_options: {} };
    expect(await refusalOf(await post('/v1/chat/completions', chat))).toMatchObject({
      ...{ status: 400, code: 'invalid_text_request' },
      message: expect.stringContaining(
        'field web_search_options is not available here: no channel of model deepseek-chat',
      ),
    });
    for (const [tool, told] of [
      [{ ...CLAUDE_WEB, max_uses: 0 }, 'field tools.0.max_uses is invalid: a whole number from 1 to 1000 is expected'],
      [{ ...CLAUDE_WEB, type: 'web_search_20260209' }, 'charged beside the price'],
    ] as const)
      expect(await refusalOf(await message('x', { tools: [tool] }))).toMatchObject({
        status: 400,
        message: expect.stringContaining(told),
      });
    expect(upstream.served()).toBe(served);
  });

  it('are charged with the special ratio of the group of the user in the group of the key', async () => {
    const partner = await testBed.user('partner', 10_000_000);
    await testBed.root.data('PUT', '/api/option/', { key: 'GroupGroupRatio', value: '{"vip":{"default":0.5}}' });
    const fields = { id: partner.id, username: 'partner', display_name: 'partner', group: 'vip' };
    await testBed.root.data('PUT', '/api/user/', fields);
    const own = await testBed.token(partner, { group: 'default' });
    const ask = async (): Promise<SearchRow> => {
      const reply = await fetch(`${testBed.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o', max_tokens: 50, messages: [{ role: 'user', content: 'hello there' }] }),
      });
      expect(reply.status).toBe(200);
      await reply.text();
      return rowFor(reply);
    };
    // The relay learns of the group and the prices a moment later.
    let row = await ask();
    for (let turn = 0; turn < 40 && row.other.user_group_ratio !== 0.5; turn += 1) row = await ask();
    expect(row.other).toMatchObject({ group_ratio: 0.5, user_group_ratio: 0.5 });
    expect(row.quota).toBe(Math.round((row.prompt_tokens + 4 * row.completion_tokens) * 1.25 * 0.5));
    const { group_ratio: told } = (await partner.call('GET', '/api/pricing')).body as unknown as {
      group_ratio: Record<string, number>;
    };
    expect(told.default).toBe(0.5);
    const groups = await partner.data<Record<string, { ratio: number }>>('GET', '/api/user/self/groups');
    expect([groups.default?.ratio, groups.vip?.ratio]).toEqual([0.5, 1]);
    const faults = await fetch(`${testBed.url}/metrics`).then((reply) => reply.text());
    expect(faults).not.toMatch(/tollgate_billing_rating_faults_total\{[^}]*\} [1-9]/);
    const others = await rowFor(await message('x', {}));
    expect(others.other.user_group_ratio).toBe(-1);
  });
});
