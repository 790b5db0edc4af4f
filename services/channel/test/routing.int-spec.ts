import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAbilities, getRouting, nameChannels, pollChannel, type InternalCall } from '@tollgate/contracts';
import { InternalClient } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import type { Type } from '@nestjs/common';
import type { z } from 'zod';
import { ChannelTestBed, dataOf, KEY } from './channel-test-bed.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

withPostgres('the routing data of channels', () => {
  let testBed: ChannelTestBed;
  beforeAll(async () => {
    testBed = await ChannelTestBed.start();
  }, 60_000);
  afterAll(() => testBed.close());

  const ask = <Input extends z.ZodType, Output extends z.ZodType>(
    call: InternalCall<Input, Output>,
    input: z.input<Input>,
  ) => testBed.get<InternalClient>(InternalClient as unknown as Type<InternalClient>).call(call, input);
  const revision = async (): Promise<number> => (await ask(pollChannel, {})).routingRevision;

  it('the snapshot holds the key and the parsed settings of every channel, disabled ones too', async () => {
    const id = await testBed.createOne({
      models: 'a,b',
      group: 'g,h',
      model_mapping: '{"a":"upstream-a"}',
      status_code_mapping: '{"400":500}',
      param_override: '{"temperature":0}',
      setting: '{"force_format":true,"abort_policy":"drain"}',
      base_url: 'http://127.0.0.1:1/',
      priority: 2,
      weight: 3,
      auto_ban: 0,
    });
    await testBed.call('PUT', '/api/channel', { id, status: 2 });
    const { channels, revision: at } = await ask(getRouting, {});
    expect(at).toBe(await revision());
    expect(channels.find((row) => row.id === id)).toEqual({
      id,
      name: 'a',
      type: 1,
      key: KEY,
      baseUrl: 'http://127.0.0.1:1',
      organization: '',
      other: '',
      models: ['a', 'b'],
      groups: ['g', 'h'],
      priority: 2,
      weight: 3,
      status: 2,
      autoBan: false,
      modelMapping: { a: 'upstream-a' },
      statusCodeMapping: { '400': '500' },
      paramOverride: { temperature: 0 },
      setting: { force_format: true, abort_policy: 'drain' },
    });
  });

  it('abilities are the pairs of enabled channels, and follow every change', async () => {
    const id = await testBed.createOne({ models: 'one,two', group: 'x,y' });
    const pairs = async () =>
      (await ask(getAbilities, {})).abilities.filter(({ group }) => group === 'x' || group === 'y');
    expect(await pairs()).toEqual([
      { group: 'x', model: 'one' },
      { group: 'x', model: 'two' },
      { group: 'y', model: 'one' },
      { group: 'y', model: 'two' },
    ]);
    await testBed.call('PUT', '/api/channel', { id, models: 'two,three', group: 'x' });
    expect(await pairs()).toEqual([
      { group: 'x', model: 'three' },
      { group: 'x', model: 'two' },
    ]);
    await testBed.call('PUT', '/api/channel', { id, status: 2 });
    expect(await pairs()).toEqual([]);
    await testBed.call('DELETE', `/api/channel/${id}`);
    expect(await testBed.abilities(id)).toEqual([]);
  });

  it('an update writes only the abilities that differ', async () => {
    const id = await testBed.createOne({ models: 'kept,dropped', group: 'versions' });
    const versions = () =>
      testBed.query<{ model: string; xmin: string }>(
        'select "model", xmin::text from "ability" where "channel_id" = ? order by 1',
        [id],
      );
    const [, kept] = await versions();
    await testBed.call('PUT', '/api/channel', { id, models: 'kept,added' });
    expect((await versions()).find(({ model }) => model === 'kept')).toEqual(kept);
  });

  it('fixing the abilities restores missing ones and returns the number of channels', async () => {
    const id = await testBed.createOne({ models: 'fixed', group: 'fix' });
    await testBed.query('delete from "ability" where "channel_id" = ? returning 1', [id]);
    await testBed.query(`insert into "ability" values ('fix', 'stale', ?, true) returning 1`, [id]);
    const [{ count } = { count: 0 }] = await testBed.query<{ count: number }>(
      'select count(*)::int as count from "channel"',
    );
    expect(dataOf((await testBed.call('POST', '/api/channel/fix')).body)).toBe(count);
    expect(await testBed.abilities(id)).toEqual([{ group: 'fix', model: 'fixed', enabled: true }]);
  });

  it('the revision grows with every change, and the event names it', async () => {
    const before = await revision();
    const id = await testBed.createOne();
    await testBed.call('PUT', '/api/channel', { id, weight: 2 });
    await testBed.call('DELETE', `/api/channel/${id}`);
    expect(await revision()).toBe(before + 3);
    const events = await testBed.eventsOf<{ revision: number }>('channel-changed', id);
    expect(events.map((event) => event.revision)).toEqual([before + 1, before + 2, before + 3]);
  });

  it('simultaneous changes get a revision each', async () => {
    const ids = await testBed.create({ key: Array.from({ length: 10 }, (_, index) => `k${index}`).join('\n') });
    const before = await revision();
    await Promise.all(ids.map((id) => testBed.call('PUT', '/api/channel', { id, weight: 8 })));
    expect(await revision()).toBe(before + 10);
  });

  it('a key that cannot be decrypted does not remove other channels from the routing', async () => {
    const [broken, good] = await testBed.create({ key: 'a\nb' });
    await testBed.query(`update "channel" set "sealed_key" = 'v1.a.b.c' where "id" = ? returning 1`, [broken]);
    const ids = (await ask(getRouting, {})).channels.map(({ id }) => id);
    expect(ids).toContain(good);
    expect(ids).not.toContain(broken);
    // Entering the key again repairs the channel.
    await testBed.call('PUT', '/api/channel', { id: broken, key: 'a' });
    expect((await ask(getRouting, {})).channels.map(({ id }) => id)).toContain(broken);
  });

  it('names are returned for existing ids only', async () => {
    const id = await testBed.createOne({ name: 'named' });
    expect(await ask(nameChannels, { ids: [id, 999_999] })).toEqual({ names: { [id]: 'named' } });
  });
});
