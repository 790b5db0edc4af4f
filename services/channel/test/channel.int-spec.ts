import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasPostgres } from '@tollgate/testing';
import { ChannelTestBed, dataOf, KEY } from './channel-test-bed.js';

const badTarget = '状态码复写的目标必须是 400 到 599 之间的状态码';
const badPolicy = '渠道额外设置中的 abort_policy 只能是 stop、drain 或 reported';
const badSwitch = '渠道额外设置中的 force_format 和 thinking_to_content 只能是 true 或 false';
const badTimeout =
  '渠道额外设置中的 first_byte_timeout、idle_timeout 和 total_timeout 必须是秒数，大于 0 且不超过 86400';
const badHeaders =
  '渠道额外设置中的 forward_headers 必须是请求头名称的列表，最多 20 个，且不能包含凭据、Cookie 以及由系统自己设置的请求头';
const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('channels over HTTP', () => {
  let testBed: ChannelTestBed;
  beforeAll(async () => {
    testBed = await ChannelTestBed.start();
  }, 60_000);
  afterAll(() => testBed.close());

  const form = { name: 'a', key: KEY, type: 1, models: 'm' };

  describe('POST /api/channel', () => {
    it.each([
      ['no name', { name: ' ' }, '请填写渠道名称和渠道密钥！'],
      ['no key', { key: '\n' }, '请填写渠道名称和渠道密钥！'],
      ['no model', { models: ' ,' }, '请至少选择一个模型！'],
      ['a mapping that is no JSON', { model_mapping: '{' }, '模型映射必须是合法的 JSON 格式！'],
      ['a mapping to a number', { model_mapping: '{"a":1}' }, '模型映射必须是合法的 JSON 格式！'],
      ['a status that is none', { status_code_mapping: '{"400":"ok"}' }, badTarget],
      ['a status in a list', { status_code_mapping: '{"400":[500]}' }, badTarget],
      ['a status that ends no reply', { status_code_mapping: '{"400":"100"}' }, badTarget],
      ['a status that is no error', { status_code_mapping: '{"404":"200"}' }, badTarget],
      [
        'a mapping of no status',
        { status_code_mapping: '{"bad":"500"}' },
        '状态码复写的键必须是 100 到 599 之间的状态码',
      ],
      ['an unknown policy', { setting: '{"abort_policy":"wait"}' }, badPolicy],
      ['a policy that is no text', { setting: '{"abort_policy":null}' }, badPolicy],
      ['a switch that is a text', { setting: '{"force_format":"false"}' }, badSwitch],
      ['a switch that is a number', { setting: '{"thinking_to_content":1}' }, badSwitch],
      ['a limit that is no number', { setting: '{"idle_timeout":"30"}' }, badTimeout],
      ['a limit of no time', { setting: '{"first_byte_timeout":0}' }, badTimeout],
      ['a limit beyond a day', { setting: '{"total_timeout":86401}' }, badTimeout],
      ['a header that is a credential', { setting: '{"forward_headers":["X-Title","Authorization"]}' }, badHeaders],
      ['headers that are no list', { setting: '{"forward_headers":"X-Title"}' }, badHeaders],
      [
        'a threshold below 0',
        { setting: '{"test_threshold":-1}' },
        '渠道额外设置中的 test_threshold 必须是秒数，不小于 0 且不超过 86400',
      ],
      ['a proxy that is no text', { setting: '{"proxy":5}' }, '渠道额外设置中的 proxy 必须是字符串'],
      ['a long model name', { models: 'm'.repeat(256) }, `模型名称过长: ${'m'.repeat(256)}`],
      ['a priority below the least', { priority: -1000 }, '优先级不能小于 -999'],
      ['a priority that is no integer', { priority: 1.5 }, '优先级必须是整数！'],
      ['a priority above the most', { priority: 1_000_000_001 }, '优先级不能大于 1000000000'],
      ['a priority beyond the column', { priority: 2_147_483_648 }, '优先级不能大于 1000000000'],
      ['a weight beyond the column', { weight: 4_294_967_296 }, '权重不能大于 1000000000'],
      ['an unknown type', { type: 999 }, '渠道类型不存在：999'],
      ['a type that needs an address', { type: 3 }, '该渠道类型需要填写 API 地址'],
      ['an address that is none', { base_url: 'ftp://host.example' }, '地址不合法，需以 http:// 或 https:// 开头'],
      ['a NUL character', { other: 'a\0b' }, '无效的参数'],
      ['a body that is no object', [], '无效的参数'],
    ])('refuses %s', async (_, change, message) => {
      const body = Array.isArray(change) ? change : { ...form, ...change };
      const reply = await testBed.call('POST', '/api/channel', body);
      expect(reply).toMatchObject({ status: 200, body: { success: false, message } });
      const path = message === '该渠道类型需要填写 API 地址' ? 'base_url' : Object.keys(change)[0];
      if (path !== undefined) expect(reply.body).toMatchObject({ fields: [{ path }] });
    });

    it('refuses addresses of metadata services and names the variable', async () => {
      const { body } = await testBed.call('POST', '/api/channel', { ...form, base_url: 'http://169.254.169.254/' });
      expect(body).toMatchObject({ success: false, code: 'address-not-allowed' });
      expect(body.message).toContain('TOLLGATE_OUTBOUND_ALLOW');
    });

    it('creates one channel per key, with the same fields', async () => {
      const ids = await testBed.create({
        key: ' k1 \n\nk2\r\n k3',
        base_url: 'http://127.0.0.1:9///',
        weight: -5,
        tag: 'batch',
      });
      expect(ids).toHaveLength(3);
      for (const id of ids)
        expect(await testBed.find(id)).toMatchObject({
          base_url: 'http://127.0.0.1:9',
          weight: 0,
          tag: 'batch',
          auto_ban: 1,
          status: 1,
        });
      const sealed = await testBed.query<{ sealed_key: string }>(
        'select "sealed_key" from "channel" where "id" = any(array[?]::int[])',
        [ids],
      );
      expect(sealed.every(({ sealed_key: text }) => text.startsWith('v1.'))).toBe(true);
    });
  });

  it('never returns a key, and stores it encrypted only', async () => {
    const id = await testBed.createOne({ name: 'secretive', tag: 'secretive' });
    const put = await testBed.call('PUT', '/api/channel', { id, key: `${KEY}-new`, name: 'secretive two' });
    const replies = [
      put,
      await testBed.call('GET', '/api/channel', undefined, { page_size: 100 }),
      await testBed.call('GET', '/api/channel', undefined, { page_size: 100, tag_mode: 'true' }),
      await testBed.call('GET', '/api/channel/search', undefined, { keyword: 'secretive' }),
      await testBed.call('GET', '/api/channel/search', undefined, { keyword: 'secretive', tag_mode: 'true' }),
      await testBed.call('GET', `/api/channel/${id}`),
    ];
    for (const reply of replies) {
      expect(reply.text).toContain('secretive');
      expect(reply.text).not.toContain(KEY);
      expect(reply.text).not.toContain('sealed');
      expect(reply.text).not.toContain('"key"');
    }
    const outbox = await testBed.query<{ value: string }>('select "value" from "outbox_event"');
    const rows = await testBed.query('select * from "channel"');
    expect(JSON.stringify([outbox, rows])).not.toContain(KEY);
  });

  it('masks the password of a proxy in lists, and returns it for the form', async () => {
    const setting = '{"proxy":"socks5://user:hunter2@10.0.0.1:1080"}';
    const id = await testBed.createOne({ name: 'proxied', setting });
    expect((await testBed.find(id)).setting).toBe(setting);
    const list = await testBed.call('GET', '/api/channel/search', undefined, { keyword: 'proxied' });
    expect(list.text).toContain('***@10.0.0.1');
    expect(list.text).not.toContain('hunter2');
  });

  describe('deleting', () => {
    it('removes a channel with its abilities, and refuses to delete it again', async () => {
      const id = await testBed.createOne();
      expect((await testBed.call('DELETE', `/api/channel/${id}/`)).body).toMatchObject({ success: true });
      expect(await testBed.abilities(id)).toEqual([]);
      expect((await testBed.call('DELETE', `/api/channel/${id}`)).body).toMatchObject({
        success: false,
        message: '渠道不存在',
      });
      expect((await testBed.call('GET', `/api/channel/${id}`)).body).toMatchObject({
        success: false,
        message: '渠道不存在',
      });
    });

    it('returns the number of channels that a batch removed', async () => {
      const ids = await testBed.create({ key: 'a\nb' });
      expect(dataOf((await testBed.call('POST', '/api/channel/batch', { ids: [...ids, 999_999] })).body)).toBe(2);
      expect((await testBed.call('POST', '/api/channel/batch', { ids: [] })).body).toMatchObject({
        success: false,
        message: '参数错误',
      });
    });

    it('leaves what was enabled meanwhile where only disabled channels are to go', async () => {
      const [by, auto, on] = await testBed.create({ key: 'a\nb\nc' });
      await testBed.call('PUT', '/api/channel', { id: by, status: 2 });
      await testBed.query('update "channel" set "status" = 3 where "id" = ? returning 1', [auto]);
      const body = { ids: [by, auto, on], only_disabled: true };
      expect(dataOf((await testBed.call('POST', '/api/channel/batch', body)).body)).toBe(2);
      expect((await testBed.call('GET', `/api/channel/${on}`)).body).toMatchObject({ success: true });
      expect(dataOf((await testBed.call('POST', '/api/channel/batch', { ids: [on] })).body)).toBe(1);
      const bad = await testBed.call('POST', '/api/channel/batch', { ids: [on], only_disabled: 'yes' });
      expect(bad.body).toMatchObject({ success: false, message: '参数错误' });
    });

    it('removes both kinds of disabled channels and counts them', async () => {
      const [by, auto, on] = await testBed.create({ key: 'a\nb\nc', name: 'three' });
      await testBed.call('PUT', '/api/channel', { id: by, status: 2 });
      await testBed.query('update "channel" set "status" = 3 where "id" = ? returning 1', [auto]);
      const others = await testBed.query('select 1 from "channel" where "status" <> 1 and "name" <> \'three\'');
      expect(dataOf((await testBed.call('DELETE', '/api/channel/disabled')).body)).toBe(2 + others.length);
      expect((await testBed.find(Number(on))).status).toBe(1);
    });
  });
});
