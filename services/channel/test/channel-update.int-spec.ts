import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Channel as ChannelReply } from '@tollgate/contracts/api/channel';
import { hasPostgres } from '@tollgate/testing';
import { ChannelTestBed, dataOf, KEY } from './channel-test-bed.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('PUT /api/channel', () => {
  let testBed: ChannelTestBed;
  beforeAll(async () => {
    testBed = await ChannelTestBed.start();
  }, 60_000);
  afterAll(() => testBed.close());

  const form = { name: 'a', key: KEY, type: 1, models: 'm' };

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
