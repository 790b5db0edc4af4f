import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readUntil, startHttpProxy, startSocksProxy } from '@tollgate/testing';
import { CLAUDE, RelayWorld } from './relay-world.js';
import { expectErrorReply } from './support.js';

/** How settings of channels and of the site affect model calls. */
describe('model calls and the settings of their channels', () => {
  const world = new RelayWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.upstream.reset());

  it('forward the body unchanged when pass-through is enabled', async () => {
    const id = await world.testBed.channel({
      base_url: world.upstream.url,
      models: 'raw',
      model_mapping: '{"raw":"gpt-4o"}',
      param_override: '{"temperature":0}',
    });
    await world.option('ModelPrice', '{"raw":0.0001}');
    const body = { model: 'raw', messages: [{ role: 'user', content: 'hi' }], stream: true, own: [1, null] };
    const sentBy = async (): Promise<Record<string, unknown> | undefined> => {
      world.upstream.reset();
      await world.talk({ body, isStream: true });
      return world.upstream.journal()[0]?.body;
    };
    const asked = { max_tokens: 100, ...body };
    expect(await sentBy()).toEqual({
      ...asked,
      model: 'gpt-4o',
      temperature: 0,
      stream_options: { include_usage: true },
    });
    await world.option('global.pass_through_request_enabled', 'true');
    expect(await readUntil(sentBy, (sent) => sent?.model === 'raw')).toEqual(asked);
    expect((await world.talk({ dialect: 'anthropic', body: { model: 'raw' } })).status).toBe(200);
    expect(world.upstream.journal().at(-1)?.body.model).toBe('gpt-4o');
    await world.option('global.pass_through_request_enabled', 'false');
    await world.testBed.root.data('DELETE', `/api/channel/${id}`);
  });

  it('forward the body unchanged also to an upstream of another dialect', async () => {
    const id = await world.testBed.channel({
      type: 14,
      base_url: world.upstream.url,
      models: 'raw-claude',
      model_mapping: '{"raw-claude":"claude-3-5-haiku-20241022"}',
      param_override: '{"temperature":0}',
    });
    await world.option('ModelPrice', '{"raw-claude":0.0001}');
    await world.option('global.pass_through_request_enabled', 'true');
    const body = { model: 'raw-claude', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], own: [1, null] };
    const sentBy = async (): Promise<unknown> => {
      world.upstream.reset();
      const answer = await world.post('/v1/chat/completions', body);
      const { path, body: sent } = world.upstream.journal()[0] ?? {};
      return { status: answer.status, object: answer.body.object, path, sent };
    };
    const expected = { status: 200, object: 'chat.completion', path: '/v1/messages', sent: body };
    expect(await readUntil(sentBy, (seen) => JSON.stringify(seen).includes('raw-claude'))).toEqual(expected);
    await world.option('global.pass_through_request_enabled', 'false');
    await world.testBed.root.data('DELETE', `/api/channel/${id}`);
  });

  it('disable a channel by configured keywords in the error, but not when the caller sent them', async () => {
    const message = 'Your credit balance is too low to go on';
    const channelOf = (id: number): Promise<{ status: number; other_info: string }> =>
      world.testBed.root.data('GET', `/api/channel/${id}`);
    const failOn = async (model: string, content: string): Promise<number> => {
      const id = await world.testBed.channel({ base_url: world.upstream.url, models: model });
      expect((await world.chat({ model, messages: [{ role: 'user', content }] })).status).toBe(400);
      return id;
    };
    await world.option('AutomaticDisableChannelEnabled', 'true');
    await world.option('ModelPrice', '{"echo":0.0001,"dry":0.0001}');
    world.upstream.control({ status: 400, errorMessage: message, errorCode: 'x', errorType: 'y' });
    const echo = await failOn('echo', 'say: your CREDIT balance is too low');
    const dry = await failOn('dry', 'hi');
    const off = await readUntil(
      () => channelOf(dry),
      ({ status }) => status !== 1,
    );
    expect(off.status).toBe(3);
    expect(JSON.parse(off.other_info)).toMatchObject({ status_reason: message });
    // Requests of one user are processed in order, so this one has been processed before.
    expect((await channelOf(echo)).status).toBe(1);
    await world.option('AutomaticDisableChannelEnabled', 'false');
  });

  it('disable no channels when a request of one caller is refused by all of them', async () => {
    const model = 'fleet';
    await world.option('AutomaticDisableChannelEnabled', 'true');
    await world.option('RetryTimes', '5');
    await world.option('ModelPrice', JSON.stringify({ [model]: 0.0001 }));
    const form = { base_url: world.upstream.url, models: model, test_model: 'gpt-4o' };
    const ids = await Promise.all(Array.from({ length: 6 }, () => world.testBed.channel(form)));
    const content = '[[status=401 code=invalid_api_key type=authentication_error]]';
    const refusals = async (): Promise<number> => {
      world.upstream.reset();
      await world.chat({ model, messages: [{ role: 'user', content }] });
      return world.upstream.journal().filter(({ status }) => status === 401).length;
    };
    // As soon as the relay knows all of them, one call is refused by each of them.
    expect(await readUntil(refusals, (count) => count === ids.length, 20_000)).toBe(ids.length);
    const read = () =>
      Promise.all(
        ids.map((id) => world.testBed.root.data<{ status: number; test_time: number }>('GET', `/api/channel/${id}`)),
      );
    const isProbed = ({ test_time: at }: { test_time: number }): boolean => at > 0;
    const probed = await readUntil(read, (channels) => channels.every(isProbed), 20_000);
    expect(probed.every(isProbed)).toBe(true);
    expect(probed.map(({ status }) => status)).toEqual([1, 1, 1, 1, 1, 1]);
    await world.option('RetryTimes', '0');
    await world.option('AutomaticDisableChannelEnabled', 'false');
    for (const id of ids) await world.testBed.root.data('DELETE', `/api/channel/${id}`);
  }, 60_000);

  it.each([
    ['http', startHttpProxy],
    ['socks5', startSocksProxy],
  ])('use the %s proxy of their channel, as do its tests and its list of models', async (scheme, start) => {
    const proxy = await start();
    try {
      const model = `by-${scheme}`;
      const setting = JSON.stringify({ proxy: proxy.url });
      const id = await world.testBed.channel({
        base_url: world.upstream.url,
        models: model,
        setting,
        test_model: 'gpt-4o',
      });
      await world.option(
        'ModelRatio',
        JSON.stringify({ 'gpt-4o': 1.25, 'gpt-4o-mini': 0.075, [CLAUDE]: 1.5, [model]: 1 }),
      );
      const [answer, stream] = [
        await world.talk({ body: { model } }),
        await world.talk({ body: { model }, isStream: true }),
      ];
      expect([answer.text, stream.text, stream.end]).toEqual([answer.text, answer.text, 'done']);
      expect(answer.text).not.toBe('');
      expect((await world.testBed.root.call('GET', `/api/channel/test/${id}`)).body).toMatchObject({ success: true });
      expect((await world.testBed.root.call('GET', `/api/channel/fetch_models/${id}`)).body).toMatchObject({
        success: true,
      });
      expect(world.upstream.served()).toBe(4);
      expect(new Set(proxy.targets)).toEqual(new Set([new URL(world.upstream.url).host]));
      await proxy.close();
      expect((await world.talk({ body: { model } })).status).toBe(500);
      expect(world.upstream.served()).toBe(4);
    } finally {
      await proxy.close().catch(() => undefined);
      await world.testBed.root.data('POST', '/api/option/rest_model_ratio');
    }
  });

  it.each([
    ['ftp://127.0.0.1:21', 'unsupported proxy scheme: ftp'],
    ['nonsense', '代理地址不合法'],
  ])('cannot use %s as proxy, which the channel form refuses', async (proxy, message) => {
    const form = { name: 'p', type: 1, key: 'k', models: 'm', group: 'default', setting: JSON.stringify({ proxy }) };
    expectErrorReply(await world.testBed.root.call('POST', '/api/channel/', form), message);
    const id = await world.testBed.channel({ base_url: world.upstream.url, models: 'unserved-too' });
    expectErrorReply(await world.testBed.root.call('PUT', '/api/channel/', { id, setting: form.setting }), message);
  });
});
