import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasPostgres } from '@tollgate/testing';
import { KEY } from './channel-test-bed.js';
import { UpstreamWorld } from './upstream-world.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('lists of models', () => {
  const world = new UpstreamWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());

  it('are fetched from the upstream of a stored channel', async () => {
    const id = await world.createAt('');
    const { body } = await world.testBed.call<string[]>('GET', `/api/channel/fetch_models/${id}`);
    expect(body).toMatchObject({ success: true, data: expect.arrayContaining(['gpt-4o-mini', 'deepseek-chat']) });
  });

  it('are fetched with a key that is not stored, the first of several', async () => {
    world.upstream.reset();
    const form = { base_url: `${world.upstream.url}/`, type: 1, key: 'first-key-of-two\nsecond' };
    expect((await world.testBed.call('POST', '/api/channel/fetch_models', form)).body).toMatchObject({ success: true });
    expect(world.upstream.journal()).toHaveLength(1);
  });

  it('are fetched from the account that the form names', async () => {
    world.upstream.reset();
    await world.testBed.call('POST', '/api/channel/fetch_models', {
      ...{ base_url: world.upstream.url, type: 39, key: KEY, other: ' acc9 ', setting: '{"proxy":""}' },
    });
    expect(world.upstream.journal()).toMatchObject([{ path: '/client/v4/accounts/acc9/ai/v1/models' }]);
  });

  it('are fetched as those of type 1 for a form without a type, as channels without one are saved', async () => {
    const form = { base_url: world.upstream.url, key: KEY };
    const reply = await world.testBed.call('POST', '/api/channel/fetch_models', form);
    const { body } = await world.testBed.call('POST', '/api/channel/fetch_models', { ...form, type: 1 });
    expect(reply).toMatchObject({ status: 200, body: { success: true, data: body.data } });
  });

  it.each([
    ['no account id', { type: 39, key: 'k', other: ' ' }, 400, 'Account ID 不能为空'],
    ['extra settings that are no JSON', { type: 1, key: 'k', setting: '{' }, 400, '渠道额外设置不是合法的 JSON 字符串'],
    [
      'a proxy at a metadata address',
      { type: 1, key: 'k', base_url: 'http://127.0.0.1:9', setting: '{"proxy":"http://169.254.169.254"}' },
      400,
      expect.stringContaining('TOLLGATE_OUTBOUND_ALLOW'),
    ],
    ['no key', { type: 1, key: ' ' }, 200, '请填写密钥'],
    ['type 0', { type: 0, key: 'k' }, 400, 'Invalid request'],
    ['no object', 'text', 400, 'Invalid request'],
    [
      'a type that has no list',
      { type: 8, key: 'k', base_url: 'http://127.0.0.1' },
      200,
      '该渠道类型不支持获取模型列表',
    ],
    [
      'a metadata address',
      { type: 1, key: 'k', base_url: 'http://169.254.169.254' },
      400,
      expect.stringContaining('TOLLGATE_OUTBOUND_ALLOW'),
    ],
  ])('are refused for %s', async (_, body, status, message) => {
    const reply = await world.testBed.call('POST', '/api/channel/fetch_models', body);
    expect(reply).toMatchObject({ status, body: { success: false, message } });
  });

  it('are answered with 500 when the upstream refuses, without its address or the key', async () => {
    const form = { base_url: world.at(`status=401,message=${encodeURIComponent(KEY)}`), type: 1, key: KEY };
    const reply = await world.testBed.call('POST', '/api/channel/fetch_models', form);
    expect(reply).toMatchObject({
      status: 500,
      body: { success: false, message: expect.stringContaining('获取模型列表失败') },
    });
    expect(reply.text).not.toContain(KEY);
    expect(reply.text).not.toContain(world.upstream.url);
  });
});
