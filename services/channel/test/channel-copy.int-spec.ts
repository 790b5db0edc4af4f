import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChannelKeyRow } from '@tollgate/contracts/api/channel';
import { hasPostgres } from '@tollgate/testing';
import { ChannelKeys } from '../src/channel/channel-keys.js';
import { ChannelTestBed, dataOf } from './channel-test-bed.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

const root = { id: 7, role: 100, username: 'ann' } as const;
const PROXY = '{"proxy":"http://127.0.0.1:9"}';
const ADDRESS = 'http://127.0.0.1:1';

withPostgres('a copy of a channel', () => {
  let testBed: ChannelTestBed;
  beforeAll(async () => {
    testBed = await ChannelTestBed.start();
  }, 60_000);
  afterAll(() => testBed.close());

  const form = { name: 'copy', type: 1, models: 'm', base_url: ADDRESS };
  const copy = (original: number, change: object = {}) =>
    testBed.call<{ ids: number[] }>('POST', '/api/channel', { ...form, copy_from: original, ...change });
  const channelCount = async (): Promise<unknown> => testBed.query('select count(*)::int as n from "channel"');
  const keysOf = async (ids: number[]): Promise<string[]> => {
    const rows = await testBed.query<{ sealed_key: string }>(
      'select "sealed_key" from "channel" where "id" = any(array[?]::int[]) order by "id"',
      [ids],
    );
    return rows.map(({ sealed_key: sealedKey }) => testBed.get(ChannelKeys).open({ sealedKey }));
  };

  it('has the key of its original, with the events and the audit entry of a new channel', async () => {
    const original = await testBed.createOne({ base_url: ADDRESS, key: 'sk-of-the-original' });
    const { body, text } = await copy(original, { key: '', weight: 3 });
    const [id = 0] = dataOf(body).ids;
    expect(id).toBeGreaterThan(original);
    expect(text).not.toContain('sk-of-the-original');
    expect(await keysOf([id])).toEqual(['sk-of-the-original']);
    expect(await testBed.find(id)).toMatchObject({ name: 'copy', weight: 3, status: 1, used_quota: 0 });
    expect(await testBed.abilities(id)).toEqual([{ group: 'default', model: 'm', enabled: true }]);
    expect(await testBed.eventsOf('channel-changed', id)).toHaveLength(1);
    const entries = await testBed.events<{ subject: string }>('admin-action');
    expect(entries.filter(({ subject }) => subject === `channel:${id}`)).toMatchObject([
      { actorId: 7, action: 'channel-created', after: { name: 'copy', count: 1, copy_from: original } },
    ]);
  });

  it('is one channel if its original is, with all of its keys', async () => {
    const several = { base_url: ADDRESS, multi_key_mode: 'polling', key: 'k1\nk2' } as const;
    const original = await testBed.createOne(several);
    const { body } = await copy(original, { multi_key_mode: 'random' });
    expect(dataOf(body).ids).toHaveLength(1);
    expect(await keysOf(dataOf(body).ids)).toEqual(['k1\nk2']);
    const before = await channelCount();
    const split = await copy(original, { multi_key_mode: '' });
    expect(split.body).toMatchObject({ code: 'channel-key-of-several', fields: [{ path: 'key' }] });
    expect(await channelCount()).toEqual(before);
  });

  it('leaves the keys off that a person switched off at the original', async () => {
    const original = await testBed.createOne({ base_url: ADDRESS, multi_key_mode: 'polling', key: 'k1\nk2' });
    const statesOf = async (id: number) =>
      dataOf((await testBed.call<ChannelKeyRow[]>('GET', `/api/channel/${id}/keys`)).body);
    const [, second] = await statesOf(original);
    await testBed.call('PUT', `/api/channel/${original}/keys`, { key_id: second?.id, status: 2 });
    const { body } = await copy(original, { multi_key_mode: 'random' });
    const [id = 0] = dataOf(body).ids;
    expect((await statesOf(id)).map(({ status }) => status)).toEqual([1, 2]);
  });

  it('has the key that was entered, if one was', async () => {
    const original = await testBed.createOne({ base_url: ADDRESS });
    const { body } = await copy(original, { key: 'another', base_url: 'http://127.0.0.1:2' });
    expect(await keysOf(dataOf(body).ids)).toEqual(['another']);
  });

  it.each([
    ['address', { base_url: 'https://evil.example' }],
    ['type', { type: 14 }],
    ['proxy', { setting: PROXY }],
  ])('needs the key when its %s differs, as a change of the original does', async (_, change) => {
    const original = await testBed.createOne({ base_url: ADDRESS, key: 'sk-of-the-original' });
    const before = await channelCount();
    for (const key of ['', '\u200b', null, undefined])
      expect((await copy(original, { ...change, key })).body).toMatchObject({
        ...{ success: false, code: 'channel-key-needed', fields: [{ path: 'key' }] },
      });
    expect(await channelCount()).toEqual(before);
    const asRoot = { as: root, body: { ...form, ...change, copy_from: original } };
    const made = await testBed.harness.request<{ ids: number[] }>('POST', '/api/channel', asRoot);
    expect(await keysOf(dataOf(made.body).ids)).toEqual(['sk-of-the-original']);
  });

  it('has no key of a type that it does not fit', async () => {
    const original = await testBed.createOne({ base_url: ADDRESS });
    const body = { ...form, type: 41, other: 'us-central1', copy_from: original };
    const asRoot = { as: root, body };
    expect((await testBed.harness.request('POST', '/api/channel', asRoot)).body).toMatchObject({
      ...{ success: false, code: 'channel-key-not-json', fields: [{ path: 'key' }] },
    });
  });

  it('is refused without a key or an original', async () => {
    const gone = await testBed.createOne();
    await testBed.call('DELETE', `/api/channel/${gone}`);
    expect((await copy(gone)).body).toMatchObject({ success: false, code: 'channel-not-found' });
    for (const none of [{ copy_from: null }, { copy_from: undefined, key: null }])
      expect((await copy(gone, none)).body).toMatchObject({
        ...{ success: false, message: '请填写渠道名称和渠道密钥！', fields: [{ path: 'key' }] },
      });
    expect((await copy(gone, { copy_from: 'x' })).body).toMatchObject({ success: false, message: '无效的参数' });
  });
});
