import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { getRouting } from '@tollgate/contracts';
import type { ChannelKeyRow } from '@tollgate/contracts/api/channel';
import { InternalClient } from '@tollgate/chassis';
import { eventually, hasPostgres } from '@tollgate/testing';
import { ChannelKeys } from '../src/channel/channel-keys.js';
import { Prober } from '../src/suspicion/prober.js';
import { ChannelTestBed, dataOf } from './channel-test-bed.js';
import { consumed } from './consumed-event.js';
import { MESSAGE, suspectsAt } from './suspects.js';

(hasPostgres() ? describe : describe.skip)('automatic disabling of one of several keys', () => {
  let testBed: ChannelTestBed;
  let server: Server;
  let url: string;
  /** Keys that the upstream accepts. */
  const good = new Set<string>();
  beforeAll(async () => {
    testBed = await ChannelTestBed.start();
    server = createServer((request, response) => {
      const key = String(request.headers.authorization).replace('Bearer ', '');
      const status = good.has(key) ? 200 : 401;
      const message = { choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] };
      const error = { error: { message: MESSAGE, code: 'invalid_api_key', type: 'authentication_error' } };
      request.resume().once('end', () => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(status === 200 ? message : error));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }, 60_000);
  afterAll(async () => {
    await testBed.close();
    server.close();
  });
  beforeEach(() => testBed.clear({ AutomaticDisableChannelEnabled: 'true' }));

  const { deliver, refusalOf, transitionsOf, statusOf, timeline } = suspectsAt(() => testBed);

  const keysOf = async (id: number): Promise<ChannelKeyRow[]> =>
    dataOf((await testBed.call<ChannelKeyRow[]>('GET', `/api/channel/${id}/keys`)).body);
  const refusedWith = (channelId: number, keyId: string) =>
    consumed({
      userId: 1,
      channelId: 0,
      quota: 0,
      outcome: 'failed',
      attempts: [{ ...refusalOf(channelId), keyId }],
    });

  it('sets a refused key aside, and disables the channel with its last key', async () => {
    good.clear();
    good.add('sk-good-upstream-2222');
    const key = 'sk-bad-upstream-1111\nsk-good-upstream-2222\nsk-bad-upstream-1111';
    const id = await testBed.createOne({ base_url: url, key, multi_key_mode: 'polling', name: 'several' });
    const [bad, fine, ...more] = await keysOf(id);
    expect([bad?.hint, fine?.hint, more]).toEqual(['***1111', '***2222', []]);
    expect(await testBed.find(id)).toMatchObject({ multi_key_mode: 'polling', multi_key_size: 2, multi_key_away: 0 });
    await deliver([refusedWith(id, bad?.id ?? '')]);
    expect(await timeline(id)).toMatchObject([{ outcome: 'key-away', reason: MESSAGE }]);
    expect(await keysOf(id)).toMatchObject([
      { status: 3, reason: MESSAGE },
      { status: 1, reason: '' },
    ]);
    expect([await statusOf(id), (await testBed.find(id)).multi_key_away]).toEqual([1, 1]);
    const internal = testBed.get<InternalClient>(InternalClient as unknown as Type<InternalClient>);
    const { channels } = await internal.call(getRouting, {});
    const routed = channels.find((channel) => channel.id === id);
    expect([routed?.key, routed?.keys?.map((one) => one.key)]).toEqual([
      'sk-good-upstream-2222',
      ['sk-good-upstream-2222'],
    ]);

    good.clear();
    await testBed.get(Prober).settled();
    await deliver([refusedWith(id, fine?.id ?? '')]);
    await eventually('the channel is off', async () => (await statusOf(id)) === 3);
    expect(JSON.parse((await testBed.find(id)).other_info)).toMatchObject({
      status_reason: `All keys are disabled: ${MESSAGE}`,
    });

    const on = await testBed.call('PUT', `/api/channel/${id}/keys`, { key_id: bad?.id, status: 1 });
    expect(on.body).toMatchObject({ success: true, data: [{ status: 1 }, { status: 3 }] });
    expect(await statusOf(id)).toBe(1);
    const last = await testBed.call('PUT', `/api/channel/${id}/keys`, { key_id: bad?.id, status: 2 });
    expect(last.body).toMatchObject({ success: false, code: 'channel-last-key' });
    // Enabling the channel returns all keys that were set aside automatically.
    await testBed.call('PUT', '/api/channel', { id, status: 2 });
    await testBed.call('PUT', '/api/channel', { id, status: 1 });
    expect((await keysOf(id)).map(({ status }) => status)).toEqual([1, 1]);
  });

  const due = async (id: number, probeAt = 0): Promise<void> => {
    await testBed.get(Prober).settled();
    await testBed.query(
      `update "channel" set "key_states" = (select jsonb_object_agg(s."key", s."value" || jsonb_build_object('probeAt', ?::bigint))
         from jsonb_each("key_states") s) where "id" = ? returning 1`,
      [probeAt, id],
    );
    testBed.get(Prober).wake();
  };
  const statusesOf = async (id: number): Promise<number[]> => (await keysOf(id)).map(({ status }) => status);

  it('sets aside at most a third of the keys when all are refused, and uses them again when they work', async () => {
    good.clear();
    const keys = Array.from({ length: 6 }, (_, index) => `sk-upstream-of-six-${index}`);
    const form = { base_url: url, key: keys.join('\n'), multi_key_mode: 'polling' as const };
    const id = await testBed.createOne(form);
    const all = await keysOf(id);
    await deliver(all.map((one) => refusedWith(id, one.id)));
    const rows = await timeline(id, 6);
    expect(rows.map(({ outcome }) => outcome).sort()).toEqual(['held', 'held', 'held', 'held', 'key-away', 'key-away']);
    expect((await statusesOf(id)).sort()).toEqual([1, 1, 1, 1, 3, 3]);
    expect(await testBed.find(id)).toMatchObject({ status: 1, multi_key_away: 2 });
    // The key is probed without success; the pause before the next probe grows.
    await due(id);
    const looks = async () =>
      (
        await testBed.query<{ probes: number }>(
          `select (s."value"->>'probes')::int "probes" from "channel", jsonb_each("key_states") s where "id" = ?`,
          [id],
        )
      ).map(({ probes }) => probes);
    await eventually('each key is probed once', async () => (await looks()).every((probes) => probes === 1));
    for (const key of keys) good.add(key);
    // A time that a clock wrote that was ahead.
    await due(id, Math.floor(Date.now() / 1000) + 200_000);
    await eventually('each key is in use', async () => (await statusesOf(id)).every((status) => status === 1));
    expect((await transitionsOf(id)).filter(({ outcome }) => outcome === 'key-back')).toHaveLength(2);
  });

  it('enables the channel with the first working key, never with a key that a person switched off', async () => {
    good.clear();
    const key = 'sk-switched-off-1111\nsk-went-alone-2222';
    const id = await testBed.createOne({ base_url: url, key, multi_key_mode: 'random' });
    const [off, alone] = await keysOf(id);
    await testBed.call('PUT', `/api/channel/${id}/keys`, { key_id: off?.id, status: 2 });
    await deliver([refusedWith(id, alone?.id ?? '')]);
    await eventually('the channel is off', async () => (await statusOf(id)) === 3);
    good.add('sk-switched-off-1111').add('sk-went-alone-2222');
    await testBed.setOptions({ AutomaticEnableChannelEnabled: 'true' });
    await due(id);
    await eventually('the channel is on again', async () => (await statusOf(id)) === 1);
    await testBed.setOptions({ AutomaticEnableChannelEnabled: 'false' });
    expect(await statusesOf(id)).toEqual([2, 1]);
  });

  it('sets a key with unsendable characters aside, which an older release saved', async () => {
    good.clear();
    good.add('sk-good-upstream-2222');
    const id = await testBed.createOne({ base_url: url, key: 'a\nsk-good-upstream-2222', multi_key_mode: 'polling' });
    const { sealedKey } = testBed.get(ChannelKeys).seal('sk-bad\u200bupstream\nsk-good-upstream-2222');
    await testBed.query('update "channel" set "sealed_key" = ? where "id" = ? returning 1', [sealedKey, id]);
    const [bad] = await keysOf(id);
    await deliver([refusedWith(id, bad?.id ?? '')]);
    expect(await timeline(id)).toMatchObject([
      { outcome: 'key-away', reason: expect.stringContaining('cannot be sent') },
    ]);
    expect(await statusesOf(id)).toEqual([3, 1]);
    const form = { id, key: '\u200b sk-one \r\nsk-t\u200bwo' };
    const refused = await testBed.call('PUT', '/api/channel', form);
    expect(refused.body).toMatchObject({ success: false, code: 'channel-key-unsendable', params: { number: 2 } });
    await testBed.call('PUT', '/api/channel', { id, key: '\ufeffsk-pasted-1111\u200b\r\nsk-pasted-2222\n' });
    expect((await keysOf(id)).map(({ hint }) => hint)).toEqual(['***111', '***222']);
  });

  it('postpones the probe of a key that cannot be decrypted, so that it does not hold up the others', async () => {
    good.clear();
    good.add('sk-open-upstream-2222');
    const key = 'sk-shut-upstream-1111\nsk-open-upstream-2222';
    const id = await testBed.createOne({ base_url: url, key, multi_key_mode: 'polling' });
    const [bad] = await keysOf(id);
    await deliver([refusedWith(id, bad?.id ?? '')]);
    await eventually('a key is set aside', async () => (await statusesOf(id)).includes(3));
    const sealed = 'sealed with another secret';
    await testBed.query('update "channel" set "sealed_key" = ? where "id" = ? returning 1', [sealed, id]);
    await due(id);
    await eventually('the key has a time for its probe', async () => {
      const [row] = await testBed.query<{ probe_at: number }>(
        `select (s."value"->>'probeAt')::float "probe_at" from "channel", jsonb_each("key_states") s where "id" = ?`,
        [id],
      );
      return (row?.probe_at ?? 0) > 0;
    });
    await testBed.query('delete from "channel" where "id" = ? returning 1', [id]);
  });

  it('clears a key whose probe succeeds, and drops the suspicion of a replaced key', async () => {
    good.clear();
    good.add('sk-first-upstream-1111').add('sk-second-upstream-2222');
    const id = await testBed.createOne({
      base_url: url,
      key: 'sk-first-upstream-1111\nsk-second-upstream-2222',
      multi_key_mode: 'random',
    });
    const [one] = await keysOf(id);
    await deliver([refusedWith(id, one?.id ?? '')]);
    expect(await timeline(id)).toMatchObject([{ outcome: 'cleared' }]);
    expect((await keysOf(id)).map(({ status }) => status)).toEqual([1, 1]);
    const off = await testBed.call('PUT', `/api/channel/${id}/keys`, { key_id: one?.id, status: 2 });
    expect(off.body).toMatchObject({ success: true, data: [{ status: 2 }, { status: 1 }] });
    // A key switched off by a person stays off when the channel is disabled and enabled.
    await testBed.call('PUT', '/api/channel', { id, status: 2 });
    await testBed.call('PUT', '/api/channel', { id, status: 1 });
    expect((await keysOf(id)).map(({ status }) => status)).toEqual([2, 1]);
    await testBed.call('PUT', '/api/channel', { id, key: 'sk-second-upstream-2222\nsk-third-upstream-3333' });
    expect((await keysOf(id)).map(({ hint, status }) => `${hint} ${status}`)).toEqual(['***2222 1', '***3333 1']);
    const single = await testBed.call('PUT', '/api/channel', { id, multi_key_mode: '' });
    expect(single.body).toMatchObject({ success: false, code: 'channel-key-of-several', fields: [{ path: 'key' }] });
    await testBed.call('PUT', '/api/channel', { id, multi_key_mode: '', key: 'sk-third-upstream-3333' });
    expect([await keysOf(id), (await testBed.find(id)).multi_key_mode]).toEqual([[], undefined]);
    const drawing = await testBed.call('POST', '/api/channel', {
      ...{ name: 'mj', type: 2, key: 'a\nb', models: 'mj_imagine', base_url: url, multi_key_mode: 'random' },
    });
    expect(drawing.body).toMatchObject({ success: false, code: 'channel-single-key' });
  });
});
