import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  RANKED_TOKENS,
  readUntil,
  type RerankStyle,
  type RerankUpstream,
  type TestBed,
  startRerankUpstream,
  startTestBed,
} from '@tollgate/testing';
import { logRows, quotaOf, rowOf } from '../support/relay-site.js';

const documents = ['Nevada has a capital', 'Capital letters are large', 'Washington is the capital of the country'];
const asked = { query: 'the capital of the country', documents };

interface Ranking {
  results: { index: number; relevance_score: number; document?: { text: string } }[];
  usage: { prompt_tokens: number; total_tokens: number };
  error?: { message: string; type: string; code: string };
}

describe('POST /v1/rerank', () => {
  let upstream: RerankUpstream;
  let testBed: TestBed;
  let key: string;
  let user: number;
  const channels = new Map<string, number>();

  beforeAll(async () => {
    upstream = await startRerankUpstream();
    testBed = await startTestBed(allServices);
    const make = async (models: string, style: RerankStyle, fields: Record<string, unknown>) =>
      channels.set(models, await testBed.channel({ name: models, models, base_url: upstream.urlOf(style), ...fields }));
    await make('ranker-1', 'jina', { type: 1, model_mapping: JSON.stringify({ 'ranker-1': 'bge-m3' }) });
    await make('ranker-38', 'jina', { type: 38 });
    await make('ranker-40', 'siliconflow', { type: 40 });
    await make('ranker-47', 'xinference', { type: 47 });
    await make('ranker-39', 'cloudflare', { type: 39, other: 'account' });
    await make('twice', 'jina', { type: 38, priority: 5 });
    await make('twice', 'siliconflow', { type: 40 });
    await make('wrong-key', 'jina', { type: 38, key: 'wrong' });
    await make('claude-2.1', 'jina', { type: 14 });
    await testBed.root.data('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
    await testBed.root.data('PUT', '/api/option/', { key: 'RetryTimes', value: '1' });
    const caller = await testBed.user('ranker', 100_000_000);
    user = caller.id;
    key = await testBed.token(caller);
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  beforeEach(() => {
    upstream.calls.length = 0;
  });

  const rank = async (body: object, bearer = key) => {
    const response = await fetch(`${testBed.url}/v1/rerank`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const id = response.headers.get('x-oneapi-request-id') ?? '';
    return { status: response.status, id, json: (await response.json()) as Ranking };
  };

  it('sends the model name of the channel, and charges the usage of the upstream', async () => {
    const before = await quotaOf(testBed, user);
    const { status, id, json } = await rank({ ...asked, model: 'ranker-1', top_n: 2, return_documents: true });
    expect(status).toBe(200);
    expect(json.results.map(({ index }) => index)).toEqual([2, 0]);
    expect(json.results[0]?.document).toEqual({ text: documents[2] });
    expect(json.usage).toMatchObject({ prompt_tokens: RANKED_TOKENS, total_tokens: RANKED_TOKENS });
    expect(upstream.calls).toEqual([
      {
        style: 'jina',
        path: '/v1/rerank',
        body: { ...asked, model: 'bge-m3', top_n: 2, return_documents: true },
      },
    ]);
    const row = await rowOf(testBed, id);
    expect(row).toMatchObject({ type: 2, model_name: 'ranker-1', prompt_tokens: RANKED_TOKENS, completion_tokens: 0 });
    expect([row.channel, row.is_stream, row.other.usage_source]).toEqual([channels.get('ranker-1'), false, 'upstream']);
    expect(row.quota).toBeGreaterThan(0);
    const spent = async (): Promise<number> => before - (await quotaOf(testBed, user));
    expect(await readUntil(spent, (quota) => quota === row.quota)).toBe(row.quota);
  });

  it.each([
    ['ranker-38', RANKED_TOKENS, 'upstream'],
    ['ranker-40', 21, 'upstream'],
    ['ranker-47', undefined, 'estimated'],
    ['ranker-39', undefined, 'estimated'],
  ])('returns and books the same usage for %s', async (model, tokens, source) => {
    const { status, id, json } = await rank({ ...asked, model, return_documents: true });
    expect(status).toBe(200);
    expect(json.results.map(({ index }) => index)).toEqual([2, 0, 1]);
    expect(json.results.map(({ document }) => document?.text)).toEqual([documents[2], documents[0], documents[1]]);
    const row = await rowOf(testBed, id);
    expect(json.usage.prompt_tokens).toBe(row.prompt_tokens);
    expect(row.other.usage_source).toBe(source);
    if (tokens === undefined) expect(row.prompt_tokens).toBeGreaterThan(10);
    else expect(row.prompt_tokens).toBe(tokens);
  });

  it('tries the next channel, and writes one log row', async () => {
    upstream.refuseNext(503);
    const { status, id } = await rank({ ...asked, model: 'twice' });
    expect(status).toBe(200);
    expect(upstream.calls.map(({ style }) => style)).toEqual(['jina', 'siliconflow']);
    expect((await rowOf(testBed, id)).other.admin_info.use_channel).toHaveLength(2);
  });

  it.each<[string, object, [number, string, string]]>([
    ['no model', asked, [400, 'invalid_text_request', 'model is required']],
    ['no query', { model: 'ranker-38', documents }, [400, 'invalid_query', 'query is empty']],
    ['an empty query', { ...asked, model: 'ranker-38', query: '' }, [400, 'invalid_query', 'query is empty']],
    ['no documents', { model: 'ranker-38', query: 'x' }, [400, 'invalid_documents', 'documents is empty']],
    [
      'empty documents',
      { ...asked, model: 'ranker-38', documents: [] },
      [400, 'invalid_documents', 'documents is empty'],
    ],
    ['a text', { ...asked, model: 'ranker-38', documents: 'x' }, [400, 'invalid_documents', 'documents is invalid']],
    ['a number', { ...asked, model: 'ranker-38', documents: [1] }, [400, 'invalid_documents', 'documents']],
    ['a wrong top_n', { ...asked, model: 'ranker-38', top_n: -1 }, [400, 'invalid_text_request', 'top_n is invalid']],
    ['no channel', { ...asked, model: 'unknown' }, [503, 'no_available_channel', '无可用渠道']],
    ['a channel that ranks nothing', { ...asked, model: 'claude-2.1' }, [400, 'invalid_api_type', '不支持该接口']],
  ])('refuses %s before an upstream is called', async (_, body, [status, code, message]) => {
    const refused = await rank(body);
    expect([refused.status, refused.json.error?.code]).toEqual([status, code]);
    expect(refused.json.error?.message).toContain(message);
    expect(refused.json.error?.message).toContain(`(request id: ${refused.id})`);
    expect(upstream.calls).toEqual([]);
  });

  it('returns the error of the last upstream, and charges nothing', async () => {
    const { status, id, json } = await rank({ ...asked, model: 'wrong-key' });
    expect([status, json.error?.message]).toEqual([401, `invalid api token (request id: ${id})`]);
    const rows = (await logRows(testBed)).filter(({ other }) => other.request_id === id);
    expect(rows.every(({ quota }) => quota === 0)).toBe(true);
  });

  it('is refused when the wallet cannot pay for it', async () => {
    const poor = await testBed.token(await testBed.user('poor', 3));
    const { status, json } = await rank({ ...asked, model: 'ranker-38' }, poor);
    expect([status, json.error?.code]).toEqual([403, 'insufficient_user_quota']);
    expect(upstream.calls).toEqual([]);
  });

  it('is used by the test of a channel with a reranking model', async () => {
    const id = await testBed.channel({
      name: 'only',
      type: 38,
      models: 'jina-reranker',
      base_url: upstream.urlOf('jina'),
    });
    const test = await testBed.root.call('GET', `/api/channel/test/${id}`);
    expect(test.body).toMatchObject({ success: true });
    expect(upstream.calls[0]?.path).toBe('/v1/rerank');
  });
});
