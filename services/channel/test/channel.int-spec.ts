import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Channel as ChannelReply } from '@tollgate/contracts/api/channel';
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

  describe('PUT /api/channel', () => {
    it('changes only the fields that are sent', async () => {
      const id = await testBed.createOne({
        name: 'whole',
        tag: 't',
        other: 'o',
        test_model: 'm',
        model_mapping: '{"a":"b"}',
        priority: 3,
      });
      const before = await testBed.find(id);
      const reply = await testBed.call<ChannelReply>('PUT', '/api/channel', { id, priority: 9 });
      expect(dataOf(reply.body)).toEqual({ ...before, priority: 9 });
    });

    it('clears a text field by an empty text or null', async () => {
      const id = await testBed.createOne({
        tag: 't',
        other: 'o',
        test_model: 'm',
        model_mapping: '{"a":"b"}',
        base_url: 'http://127.0.0.1',
      });
      await testBed.putAsRoot({
        id,
        tag: null,
        other: '',
        test_model: '',
        model_mapping: '',
        base_url: '',
      });
      expect(await testBed.find(id)).toMatchObject({
        tag: '',
        other: '',
        test_model: '',
        model_mapping: '',
        base_url: '',
      });
    });

    it('refuses texts that are too long, as when it is created, but keeps longer ones from before', async () => {
      const param_override = JSON.stringify({ note: 'x'.repeat(64 * 1024) });
      const refusal = { success: false, code: 'channel-text-too-long', params: { name: 'param_override' } };
      const form = { name: 'long', key: 'sk-1', models: 'm', param_override };
      expect((await testBed.call('POST', '/api/channel', form)).body).toMatchObject(refusal);
      const id = await testBed.createOne();
      expect((await testBed.call('PUT', '/api/channel', { id, param_override })).body).toMatchObject(refusal);
      await testBed.query(`update "channel" set "param_override" = '${param_override}' where "id" = ${id} returning 1`);
      const kept = await testBed.call('PUT', '/api/channel', { id, param_override, priority: 9 });
      expect(kept.body).toMatchObject({ success: true, data: { priority: 9, param_override } });
    });

    it('refuses a channel of Coze without a bot, as when it is created, but keeps one from before', async () => {
      const refusal = { success: false, code: 'channel-bot-missing', fields: [{ path: 'other' }] };
      const form = { name: 'coze', type: 49, key: 'pat', models: 'bot' };
      expect((await testBed.call('POST', '/api/channel', form)).body).toMatchObject(refusal);
      const id = await testBed.createOne({ type: 49, other: 'b1' });
      expect((await testBed.putAsRoot({ id, other: '' })).body).toMatchObject(refusal);
      await testBed.query(`update "channel" set "other" = '' where "id" = ${id} returning 1`);
      const kept = await testBed.putAsRoot({ id, other: '', base_url: 'http://127.0.0.1:1', priority: 9 });
      expect(kept.body).toMatchObject({ success: true, data: { priority: 9, other: '' } });
    });

    it('refuses line breaks in names of models, also from the form of its tag', async () => {
      const refusal = { success: false, code: 'channel-name-unprintable' };
      const id = await testBed.createOne({ tag: 'lines' });
      expect((await testBed.call('PUT', '/api/channel', { id, models: 'a\nb' })).body).toMatchObject(refusal);
      const edit = { tag: 'lines', models: 'a\nb' };
      expect((await testBed.call('PUT', '/api/channel/tag', edit)).body).toMatchObject(refusal);
    });

    it('refuses more keys than a channel may have, as when it is created', async () => {
      const tooMany = { multi_key_mode: 'random', key: Array.from({ length: 1001 }, (_, n) => `sk-${n}`).join('\n') };
      const message = '一个渠道最多 1000 个密钥';
      const made = await testBed.call('POST', '/api/channel', { ...form, ...tooMany });
      expect(made.body).toMatchObject({ success: false, message, fields: [{ path: 'key' }] });
      const id = await testBed.createOne(form);
      const edited = await testBed.call('PUT', '/api/channel', { id, ...tooMany });
      expect(edited.body).toMatchObject({ success: false, message, fields: [{ path: 'key' }] });
      expect((await testBed.find(id)).multi_key_mode).toBeUndefined();
    });

    it('keeps the key when the form sends an empty one', async () => {
      const id = await testBed.createOne();
      const sealed = () => testBed.query('select "sealed_key" from "channel" where "id" = ?', [id]);
      const before = await sealed();
      await testBed.call('PUT', '/api/channel', { id, key: '', name: 'renamed' });
      expect(await sealed()).toEqual(before);
      await testBed.call('PUT', '/api/channel', { id, key: 'another' });
      expect(await sealed()).not.toEqual(before);
    });

    it.each([
      ['address', { base_url: 'https://evil.example' }],
      ['type', { type: 14 }],
      ['proxy', { setting: '{"proxy":"http://127.0.0.1:9"}' }],
    ])('requires the key again when the %s changes', async (_, change) => {
      const id = await testBed.createOne({ base_url: 'http://127.0.0.1:1' });
      const before = await testBed.find(id);
      const refused = await testBed.call('PUT', '/api/channel', { id, ...change, name: 'moved' });
      expect(refused.body).toMatchObject({ success: false, code: 'channel-key-needed', fields: [{ path: 'key' }] });
      expect(await testBed.find(id)).toEqual(before);
      expect((await testBed.call('PUT', '/api/channel', { id, ...change, key: 'again' })).body.success).toBe(true);
      expect((await testBed.putAsRoot({ id, base_url: 'http://127.0.0.1:2' })).body.success).toBe(true);
      // The stored key is no key of type 41.
      expect((await testBed.putAsRoot({ id, type: 41, other: 'us-central1' })).body).toMatchObject({
        ...{ success: false, code: 'channel-key-not-json', fields: [{ path: 'key' }] },
      });
      await testBed.query(`update "channel" set "sealed_key" = 'v1.a.b.c' where "id" = ? returning 1`, [id]);
      expect((await testBed.putAsRoot({ id, type: 41, other: 'us-central1' })).body.success).toBe(true);
    });

    it.each([
      ['a name', { name: '' }, '请填写渠道名称'],
      ['models', { models: '' }, '请至少选择一个模型！'],
      ['a status of its own', { status: 4 }, '无效的参数'],
      ['a type that there is none of', { type: 28, key: KEY }, '渠道类型不存在：28'],
    ])('refuses an edit that clears or misuses %s', async (_, change, message) => {
      const id = await testBed.createOne();
      expect((await testBed.call('PUT', '/api/channel', { id, ...change })).body).toMatchObject({
        success: false,
        message,
      });
    });

    it.each([
      [{ id: 999_999, name: 'x' }, '渠道不存在'],
      [{ name: 'x' }, '无效的参数'],
      [{ id: 'x' }, '无效的参数'],
    ])('refuses %p', async (body, message) => {
      expect((await testBed.call('PUT', '/api/channel', body)).body).toMatchObject({ success: false, message });
    });

    it('changes the status alone, with one event and an entry in the history', async () => {
      const id = await testBed.createOne();
      const reply = await testBed.call<ChannelReply>('PUT', '/api/channel', { id, status: 2 });
      await testBed.call('PUT', '/api/channel', { id, status: 2 });
      expect(dataOf(reply.body).status).toBe(2);
      expect(await testBed.abilities(id)).toEqual([{ group: 'default', model: 'gpt-4o-mini', enabled: false }]);
      await testBed.call('PUT', '/api/channel', { id, status: 1 });
      expect(await testBed.eventsOf('channel-disabled', id)).toMatchObject([{ automatic: false }]);
      expect(await testBed.eventsOf('channel-enabled', id)).toMatchObject([{ automatic: false }]);
      expect(
        await testBed.query(
          'select "from_status", "to_status", "cause", "actor_id" from "channel_transition" where "channel_id" = ? order by "id"',
          [id],
        ),
      ).toEqual([
        { from_status: 1, to_status: 2, cause: 'manual', actor_id: 7 },
        { from_status: 2, to_status: 1, cause: 'manual', actor_id: 7 },
      ]);
    });

    it('changes the status once when ten administrators do it at the same time', async () => {
      const id = await testBed.createOne();
      await Promise.all(Array.from({ length: 10 }, () => testBed.call('PUT', '/api/channel', { id, status: 2 })));
      expect(await testBed.eventsOf('channel-disabled', id)).toHaveLength(1);
      expect(await testBed.query('select 1 from "channel_transition" where "channel_id" = ?', [id])).toHaveLength(1);
    });

    it('treats status 3 in a form as no change', async () => {
      const id = await testBed.createOne();
      await testBed.call('PUT', '/api/channel', { id, status: 3, name: 'still on' });
      expect(await testBed.find(id)).toMatchObject({ status: 1, name: 'still on' });
    });

    it('publishes nothing when nothing differs', async () => {
      const id = await testBed.createOne({ name: 'same' });
      const before = await testBed.eventsOf('channel-changed', id);
      await testBed.call('PUT', '/api/channel', { ...(await testBed.find(id)), key: '' });
      expect(await testBed.eventsOf('channel-changed', id)).toEqual(before);
    });

    it('writes an audit entry with the difference', async () => {
      const id = await testBed.createOne({ name: 'old' });
      await testBed.call('PUT', '/api/channel', { id, name: 'new', key: 'another key' });
      const entries = await testBed.events<{ subject: string; action: string }>('admin-action');
      expect(
        entries.filter(({ subject, action }) => subject === `channel:${id}` && action === 'channel-updated'),
      ).toEqual([
        {
          actorId: 7,
          action: 'channel-updated',
          subject: `channel:${id}`,
          before: { name: 'old' },
          after: { name: 'new', key: '*** (changed)' },
        },
      ]);
    });

    it('is undone with the state in its audit entry, unless another change followed', async () => {
      const id = await testBed.createOne({ name: 'right', models: 'a,b', weight: 1 });
      await testBed.call('PUT', '/api/channel', { id, models: 'a', weight: 5 });
      const takeBack = () =>
        testBed.call('PUT', '/api/channel', { id, models: 'a,b', weight: 1, expected: { models: ['a'], weight: 5 } });
      expect((await takeBack()).body).toMatchObject({ success: true });
      expect(await testBed.find(id)).toMatchObject({ models: 'a,b', weight: 1 });
      expect((await takeBack()).body).toMatchObject({ success: false, code: 'channel-changed-meanwhile' });
    });

    it('refuses to overwrite changes since the form was opened, and names the fields', async () => {
      const id = await testBed.createOne({ name: 'seen', models: 'a,b', setting: '{"proxy":""}', weight: 1 });
      const seen = { models: 'a,b', setting: '{"proxy":""}', auto_ban: 1 };
      const edit = (more: object) => testBed.call('PUT', '/api/channel', { id, models: 'c', ...more });
      await testBed.call('PUT', '/api/channel', { id, weight: 2 });
      expect((await edit({ expected: seen })).body).toMatchObject({ success: true });
      const late = await edit({ models: 'd', expected: seen });
      expect(late.body).toMatchObject({ success: false, code: 'channel-changed-meanwhile', kind: 'conflict' });
      expect(late.body).toMatchObject({ fields: [{ path: 'models', code: 'channel-changed-meanwhile' }] });
      expect(await testBed.find(id)).toMatchObject({ models: 'c', weight: 2 });
    });

    it('accepts one of several simultaneous undos and edits', async () => {
      const id = await testBed.createOne({ name: 'mistaken', models: 'a', weight: 5 });
      const takeBack = () =>
        testBed.call('PUT', '/api/channel', { id, weight: 1, expected: { models: ['a'], weight: 5 } });
      const edit = () => testBed.call('PUT', '/api/channel', { id, models: 'b' });
      const tries = await Promise.all([takeBack(), takeBack(), edit(), takeBack(), takeBack()]);
      const backs = tries.filter((_, index) => index !== 2).map(({ body }) => body);
      const done = backs.filter(({ success }) => success).length;
      expect(done).toBeLessThanOrEqual(1);
      expect(backs.filter(({ success }) => !success).map(({ code }) => code)).toEqual(
        Array.from({ length: 4 - done }, () => 'channel-changed-meanwhile'),
      );
      expect(await testBed.find(id)).toMatchObject({ models: 'b', weight: done === 1 ? 1 : 5 });
    });

    it('keeps every one of many simultaneous edits', async () => {
      const id = await testBed.createOne({ name: 'busy' });
      await Promise.all([
        testBed.call('PUT', '/api/channel', { id, priority: 5 }),
        testBed.call('PUT', '/api/channel', { id, weight: 6 }),
        testBed.call('PUT', '/api/channel', { id, tag: 'seven' }),
        testBed.call('PUT', '/api/channel', { id, models: 'x,y' }),
        testBed.call('PUT', '/api/channel', { id, group: 'g,h' }),
      ]);
      expect(await testBed.find(id)).toMatchObject({
        priority: 5,
        weight: 6,
        tag: 'seven',
        models: 'x,y',
        group: 'g,h',
      });
      expect(await testBed.abilities(id)).toHaveLength(4);
    });
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
