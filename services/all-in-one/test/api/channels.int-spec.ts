import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allRoutes } from '@tollgate/contracts';
import { BAD_KEY, type FakeUpstream, readUntil, startFakeUpstream } from '@tollgate/testing';
import { ChannelWorld, FIELDS, FORM, SECRET } from './channel-world.js';
import { expectCleanErrorReply, expectFields, expectErrorReply, expectSuccess, NO_IDS, spellings } from './support.js';

const NOT_FOUND = '渠道不存在';

describe('channels', () => {
  const world = new ChannelWorld();
  let upstream: FakeUpstream;
  let accounts: Server;
  let accountsUrl: string;

  beforeAll(async () => {
    [upstream] = await Promise.all([startFakeUpstream(), world.open()]);
    accounts = createServer((request, response) => {
      const body = request.url?.includes('subscription')
        ? { hard_limit_usd: 20, has_payment_method: true }
        : { total_usage: 550 };
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(request.headers.authorization === `Bearer ${SECRET}` ? body : { error: 'no' }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => accounts.once('listening', resolve));
    accountsUrl = `http://127.0.0.1:${(accounts.address() as AddressInfo).port}`;
  }, 120_000);
  afterAll(async () => {
    await world.close();
    await upstream?.close();
    accounts?.close();
    accounts?.closeAllConnections();
  });

  it('refuse their calls to users below administrator', async () => {
    const user = await world.testBed.user('user', 0);
    const rows = allRoutes.filter(({ owner, minRole }) => owner === 'channel' && minRole === 10);
    expect(rows.length).toBeGreaterThanOrEqual(20);
    for (const { method, path } of rows) {
      for (const spelling of spellings(path.replace(':id', '1'))) {
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        expectErrorReply(await user.call(method, spelling, body), '无权进行此操作，权限不足');
      }
    }
  });

  describe('POST /api/channel/', () => {
    it.each(spellings('/api/channel/'))('%s creates a channel with the documented defaults', async (path) => {
      expectSuccess(await world.call('POST', path, { name: '渠道 %_\\ 😀', key: SECRET, models: 'gpt-4o' }));
      const [newest] = await world.list('id_sort=true');
      expectFields(newest, FIELDS);
      expect(newest).toMatchObject({
        name: '渠道 %_\\ 😀',
        type: 1,
        models: 'gpt-4o',
        group: 'default',
        status: 1,
        auto_ban: 1,
        priority: 0,
        weight: 0,
        used_quota: 0,
        response_time: 0,
        test_time: 0,
        balance: 0,
        other_info: '',
      });
      expect(Math.abs(Number(newest?.['created_time']) - Date.now() / 1000)).toBeLessThan(60);
    });

    it('stores every field as sent, without trailing slashes of the address', async () => {
      const form = {
        type: 1,
        openai_organization: 'org-1',
        base_url: 'http://127.0.0.1:9/',
        other: 'x',
        models: 'b, a ,,b',
        group: 'vip,default',
        model_mapping: '{"a":"b"}',
        status_code_mapping: '{"400":"500"}',
        param_override: '{"temperature":0}',
        setting: '{"force_format":true}',
        auto_ban: 0,
        test_model: 'a',
        priority: -5,
        weight: 7,
        tag: '标签',
      };
      const channel = await world.made(form);
      expect(channel).toMatchObject({ ...form, base_url: 'http://127.0.0.1:9', models: 'b,a' });
    });

    it('creates one channel per line of keys', async () => {
      expectSuccess(await world.create({ ...FORM, name: 'batch', key: `${SECRET}-1\n\n ${SECRET}-2 \r\n${SECRET}-3` }));
      expect((await world.list('id_sort=true')).slice(0, 4).map(({ name }) => name === 'batch')).toEqual([
        true,
        true,
        true,
        false,
      ]);
    });

    it('sets the default version for type 18', async () => {
      const reply = await world.create({ ...FORM, type: 18, name: 'spark', key: 'a|b|c' });
      expectSuccess(reply);
      expect((await world.list('id_sort=true'))[0]).toMatchObject({ name: 'spark', other: 'v2.1' });
    });

    it.each([
      ['no name', { name: undefined }, '请填写渠道名称和渠道密钥！'],
      ['an empty name', { name: '' }, '请填写渠道名称和渠道密钥！'],
      ['a blank name', { name: '  ' }, '请填写渠道名称和渠道密钥！'],
      ['no key', { key: undefined }, '请填写渠道名称和渠道密钥！'],
      ['an empty key', { key: '' }, '请填写渠道名称和渠道密钥！'],
      ['a key of blanks', { key: ' \n ' }, '请填写渠道名称和渠道密钥！'],
      ['a key that is a list', { key: ['a'] }, '请填写渠道名称和渠道密钥！'],
      ['no models', { models: undefined }, '请至少选择一个模型！'],
      ['empty models', { models: '' }, '请至少选择一个模型！'],
      ['models of commas', { models: ' , ,' }, '请至少选择一个模型！'],
      ['models in a list', { models: ['gpt-4o'] }, '请至少选择一个模型！'],
      ['a status that is a text', { status: '2' }, '无效的参数'],
      ['a status of 4', { status: 4 }, '无效的参数'],
      ['a model name of 256', { models: 'm'.repeat(256) }, `模型名称过长: ${'m'.repeat(256)}`],
      ['a mapping that is no JSON', { model_mapping: '{"a":' }, '模型映射必须是合法的 JSON 格式！'],
      ['a mapping that is a list', { model_mapping: '[]' }, '模型映射必须是合法的 JSON 格式！'],
      ['a mapping to numbers', { model_mapping: '{"a":1}' }, '模型映射必须是合法的 JSON 格式！'],
      ['a status mapping that is no JSON', { status_code_mapping: 'x' }, '状态码复写不是合法的 JSON 字符串'],
      ['a setting that is no JSON', { setting: '{' }, '渠道额外设置不是合法的 JSON 字符串'],
      ['an override that is no JSON', { param_override: '"x"' }, '参数覆盖不是合法的 JSON 字符串'],
      ['a priority that is a text', { priority: 'high' }, '优先级必须是整数！'],
      ['a priority that is a fraction', { priority: 1.5 }, '优先级必须是整数！'],
      ['a priority below −999', { priority: -1000 }, '优先级不能小于 -999'],
      ['a weight that is a text', { weight: 'x' }, '权重必须是非负整数！'],
      ['a weight beyond all', { weight: 1e20 }, '权重不能大于 1000000000'],
      ['a type that is a text', { type: 'openai' }, '无效的参数'],
      ['a type of 0', { type: 0 }, '无效的参数'],
      ['an unknown type', { type: 999 }, '渠道类型不存在：999'],
      ['an auto_ban of 2', { auto_ban: 2 }, '无效的参数'],
      ['a name with a NUL', { name: 'a\0b' }, '请填写渠道名称和渠道密钥！'],
      ['a group with a NUL', { group: 'a\0b' }, '无效的参数'],
      ['an address with a password', { base_url: 'https://user:pass@example.com' }, 'API 地址不能包含用户名或密码'],
    ])('refuses %s and makes nothing', async (_, change, message) => {
      const before = (await world.list('id_sort=true'))[0]?.id;
      expectErrorReply(await world.create({ ...FORM, ...change }), message);
      expect((await world.list('id_sort=true'))[0]?.id).toBe(before);
    });

    it.each(['http://169.254.169.254/latest', 'ftp://127.0.0.1', 'file:///etc/passwd', 'not an address'])(
      'refuses the address %s',
      async (base_url) => {
        expectCleanErrorReply(await world.create({ ...FORM, base_url }));
      },
    );

    it('treats a negative weight as 0', async () => {
      expect((await world.made({ weight: -5 }))['weight']).toBe(0);
    });
  });

  describe('GET /api/channel/:id', () => {
    it('shows everything but the key', async () => {
      const channel = await world.made();
      for (const path of spellings(`/api/channel/${channel.id}`)) {
        const reply = await world.call('GET', path);
        expectSuccess(reply);
        expectFields(reply.body.data, FIELDS);
        expect(JSON.stringify(reply.body)).not.toContain(SECRET);
      }
    });

    it.each(NO_IDS)('refuses the id %s, and so do the other calls of one channel', async (id) => {
      expectCleanErrorReply(await world.call('GET', `/api/channel/${id}`));
      expectCleanErrorReply(await world.call('DELETE', `/api/channel/${id}`));
      expectCleanErrorReply(await world.call('GET', `/api/channel/test/${id}`));
      expectCleanErrorReply(await world.call('GET', `/api/channel/update_balance/${id}`));
      expectCleanErrorReply(await world.call('GET', `/api/channel/fetch_models/${id}`));
    });
  });

  describe('PUT /api/channel/', () => {
    it.each(spellings('/api/channel/'))(
      '%s changes the fields that are sent, and keeps the others and the key',
      async (path) => {
        const channel = await world.made({ tag: 'old', priority: 3, weight: 4 });
        const reply = await world.call('PUT', path, { id: channel.id, name: '改名', key: '', models: 'x' });
        expectSuccess(reply);
        expectFields(reply.body.data, FIELDS);
        expect(JSON.stringify(reply.body)).not.toContain(SECRET);
        expect(await world.read(channel.id)).toEqual({ ...channel, name: '改名', models: 'x' });
      },
    );

    it.each([
      [{ status: 2 }, { status: 2 }],
      [{ priority: 9 }, { priority: 9 }],
      [{ priority: 0 }, { priority: 0 }],
      [{ weight: 0 }, { weight: 0 }],
      [{ weight: -3 }, { weight: 0 }],
      [{ tag: '' }, { tag: '' }],
      [{ model_mapping: '' }, { model_mapping: '' }],
      [
        { tag: null, test_model: null },
        { tag: '', test_model: '' },
      ],
      [{ base_url: 'https://example.com///', key: SECRET }, { base_url: 'https://example.com' }],
    ])('changes only the fields in %j', async (patch, expected) => {
      const channel = await world.made({
        tag: 't',
        priority: 5,
        weight: 5,
        model_mapping: '{"a":"b"}',
        test_model: 'gpt-4o',
      });
      const reply = await world.update({ id: channel.id, ...patch });
      expectSuccess(reply);
      expect(reply.body.data).toMatchObject({ status: 1, ...expected });
      expect(await world.read(channel.id)).toEqual({ ...channel, ...expected });
    });

    it('accepts a whole channel as it was read', async () => {
      const channel = await world.made({ tag: 't' });
      expectSuccess(await world.update({ ...channel, key: '' }));
      expect(await world.read(channel.id)).toEqual(channel);
    });

    it.each([
      ['no id', { id: undefined }, '无效的参数'],
      ['an id of 0', { id: 0 }, '无效的参数'],
      ['an id that is a word', { id: 'x' }, '无效的参数'],
      ['an id that is true', { id: true }, '无效的参数'],
      ['an unknown id', { id: 987_654_321 }, NOT_FOUND],
      ['an empty name', { name: '' }, '请填写渠道名称'],
      ['empty models', { models: '' }, '请至少选择一个模型！'],
      ['a broken mapping', { model_mapping: 'x' }, '模型映射必须是合法的 JSON 格式！'],
      ['a status of 0', { status: 0 }, '无效的参数'],
      ['a status of 4', { status: 4 }, '无效的参数'],
      ['a status that is a text', { status: '1' }, '无效的参数'],
      ['a priority that is a text', { priority: '1' }, '优先级必须是整数！'],
      ['a weight that is a fraction', { weight: 0.5 }, '权重必须是非负整数！'],
      [
        'another address without the key',
        { base_url: 'https://evil.example' },
        '修改渠道类型、API 地址、地区或代理时，请重新填写密钥，或由超级管理员修改',
      ],
    ])('refuses %s and changes nothing', async (_, change, message) => {
      const channel = await world.made();
      expectErrorReply(await world.update({ id: channel.id, ...change }), message);
      expect(await world.read(channel.id)).toEqual(channel);
    });
  });

  describe('deleting', () => {
    it('removes one', async () => {
      for (const slash of ['', '/']) {
        const { id } = await world.made();
        expectSuccess(await world.call('DELETE', `/api/channel/${id}${slash}`));
        expectErrorReply(await world.call('GET', `/api/channel/${id}`), NOT_FOUND);
        expectErrorReply(await world.call('DELETE', `/api/channel/${id}${slash}`), NOT_FOUND);
      }
    });

    it('removes many and counts them', async () => {
      const ids = [(await world.made()).id, (await world.made()).id];
      const reply = await world.call('POST', '/api/channel/batch', { ids });
      expectSuccess(reply);
      expect(reply.body.data).toBe(2);
      for (const body of [{}, { ids: [] }, { ids: 5 }, { ids: ['x'] }, { ids: [0] }, { ids: [1.5] }, { ids: null }]) {
        expectErrorReply(await world.call('POST', '/api/channel/batch', body), '参数错误');
      }
    });

    it('removes channels disabled by a person and automatically', async () => {
      const off = await world.made({ name: 'off' });
      await world.update({ id: off.id, status: 2 });
      const on = await world.made({ name: 'on' });
      const disabled = (await world.list()).filter(({ status }) => status !== 1).length;
      const reply = await world.call('DELETE', '/api/channel/disabled');
      expectSuccess(reply);
      expect(reply.body.data).toBe(disabled);
      expect((await world.list()).every(({ status }) => status === 1)).toBe(true);
      expect((await world.read(on.id)).status).toBe(1);
      expect((await world.call('DELETE', '/api/channel/disabled/')).body.data).toBe(0);
    });
  });

  describe('models of an upstream', () => {
    it('are fetched with the stored key or a key that is not stored yet', async () => {
      const { id } = await world.made({ base_url: upstream.url });
      for (const path of spellings(`/api/channel/fetch_models/${id}`)) {
        const models = await world.admin.data<string[]>('GET', path);
        expect(models.length).toBeGreaterThan(0);
        expect(models.every((model) => typeof model === 'string')).toBe(true);
      }
      for (const path of spellings('/api/channel/fetch_models')) {
        expect(await world.admin.data('POST', path, { base_url: `${upstream.url}/`, type: 1, key: 'sk-any' })).toEqual(
          await world.admin.data('GET', `/api/channel/fetch_models/${id}`),
        );
      }
    });

    it.each([
      ['no JSON', '{', 'Invalid request', 400],
      ['a list', '[]', 'Invalid request', 400],
      ['a type that is a text', { base_url: '', type: 'x', key: 'k' }, 'Invalid request', 400],
      ['an address that is a number', { base_url: 5, type: 1, key: 'k' }, 'Invalid request', 400],
      ['no key', { base_url: '', type: 1, key: '' }, '请填写密钥', 200],
    ])('refuse %s', async (_, body, message, status) => {
      expectErrorReply(await world.call('POST', '/api/channel/fetch_models', body), message, status);
    });

    it('are answered with 500 when the upstream fails, without its key', async () => {
      const reply = await world.call('POST', '/api/channel/fetch_models', {
        base_url: upstream.url,
        type: 1,
        key: BAD_KEY,
      });
      expect([reply.status, reply.body.success]).toEqual([500, false]);
      expect(JSON.stringify(reply.body)).not.toContain(BAD_KEY);
    });
  });

  describe('tests', () => {
    it('send a real request and return success, message and seconds', async () => {
      const { id } = await world.made({ base_url: upstream.url, models: 'gpt-4o-mini' });
      for (const path of [...spellings(`/api/channel/test/${id}`), `/api/channel/test/${id}?model=gpt-4o`]) {
        const reply = await world.call('GET', path);
        expect([reply.status, reply.body.success, reply.body.message]).toEqual([200, true, '']);
        expectFields(reply.body, { time: 'number' });
      }
      const tested = await world.read(id);
      expect(Math.abs(Number(tested['test_time']) - Date.now() / 1000)).toBeLessThan(60);
    });

    it('return the error of the upstream, without the key', async () => {
      const { id } = await world.made({ base_url: upstream.url, key: BAD_KEY });
      const reply = await world.call('GET', `/api/channel/test/${id}`);
      expect([reply.status, reply.body.success]).toEqual([200, false]);
      expectFields(reply.body, { message: 'string', time: 'number' });
      expect(reply.body.message).not.toBe('');
      expect(JSON.stringify(reply.body)).not.toContain(BAD_KEY);
      expect(Number((await world.read(id))['test_time'])).toBeGreaterThan(0);
    });

    it('of all channels start in the background, one run at a time', async () => {
      const replies = await Promise.all([1, 2, 3, 4].map(() => world.call('GET', '/api/channel/test')));
      expect(replies.filter(({ body }) => body.success).length).toBeGreaterThanOrEqual(1);
      for (const reply of replies.filter(({ body }) => !body.success)) expectErrorReply(reply, '测试已在运行中');
      const again = await readUntil(
        () => world.call('GET', '/api/channel/test/'),
        ({ body }) => body.success,
        20_000,
      );
      expectSuccess(again);
      await readUntil(
        () => world.call('GET', '/api/channel/test'),
        ({ body }) => body.success,
        20_000,
      );
    }, 60_000);
  });

  describe('balances', () => {
    it('are fetched from the billing calls of the upstream', async () => {
      const { id } = await world.made({ base_url: accountsUrl });
      for (const path of spellings(`/api/channel/update_balance/${id}`)) {
        const reply = await world.call('GET', path);
        expect(reply.body).toEqual({ success: true, message: '', balance: 14.5 });
      }
      const channel = await world.read(id);
      expect(channel).toMatchObject({ balance: 14.5 });
      expect(Math.abs(Number(channel['balance_updated_time']) - Date.now() / 1000)).toBeLessThan(60);
    });

    it('are refused for types without billing calls', async () => {
      const { id } = await world.made({ type: 14, models: 'claude-3-7-sonnet-20250219' });
      expectErrorReply(await world.call('GET', `/api/channel/update_balance/${id}`), '尚未实现');
    });

    it('of all channels are fetched in one call', async () => {
      for (const { id } of await world.list()) await world.call('DELETE', `/api/channel/${id}`);
      const { id } = await world.made({ base_url: accountsUrl });
      for (const path of spellings('/api/channel/update_balance')) expectSuccess(await world.call('GET', path));
      expect((await world.read(id))['balance']).toBe(14.5);
    });
  });
});
