import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Lifecycle } from '@tollgate/chassis';
import { hasPostgres } from '@tollgate/testing';
import { ChannelSchedule } from '../src/schedule/channel-schedule.js';
import { ChannelTestBed } from './channel-test-bed.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

/**
 * OpenAI's former billing interface; the first part of the path is the limit in dollars. `beforeReply` happens between a
 * request and its reply.
 */
async function startBilling(): Promise<{ server: Server; url: string; beforeReply?: () => Promise<unknown> }> {
  const answer = async ({ url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    await billing.beforeReply?.();
    const limit = Number(url.split('/')[1]);
    const isUsage = url.includes('/usage?');
    response.statusCode = headers.authorization === 'Bearer good' ? 200 : 401;
    response.end(JSON.stringify(isUsage ? { total_usage: 250 } : { has_payment_method: true, hard_limit_usd: limit }));
  };
  const server = createServer((request, response) => void answer(request, response));
  const billing: Awaited<ReturnType<typeof startBilling>> = { server, url: '' };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  billing.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return billing;
}

withPostgres('balances of upstream accounts', () => {
  let testBed: ChannelTestBed;
  let billing: Awaited<ReturnType<typeof startBilling>>;
  beforeAll(async () => {
    billing = await startBilling();
    testBed = await ChannelTestBed.start();
  }, 60_000);
  afterAll(async () => {
    await testBed.close();
    billing.server.close();
  });

  const createWith = (limit: number, key = 'good', form: Parameters<ChannelTestBed['createOne']>[0] = {}) =>
    testBed.createOne({ key, base_url: `${billing.url}/${limit}`, ...form });

  it('of one channel are fetched, returned beside the message, and stored', async () => {
    const id = await createWith(20);
    expect((await testBed.call('GET', `/api/channel/update_balance/${id}/`)).body).toEqual({
      success: true,
      message: '',
      balance: 17.5,
    }); // 20 − 2.50
    const channel = await testBed.find(id);
    expect(channel.balance).toBe(17.5);
    expect(channel.balance_updated_time).toBeGreaterThan(Date.now() / 1000 - 60);
  });

  it('of all channels are fetched by one run at a time', async () => {
    await createWith(20);
    const replies = await Promise.all([0, 1].map(() => testBed.call('GET', '/api/channel/update_balance')));
    expect(replies.map(({ body }) => body).sort((one) => (one.success ? -1 : 1))).toMatchObject([
      { success: true },
      { success: false, code: 'balances-running' },
    ]);
    expect((await testBed.call('GET', '/api/channel/update_balance')).body.success).toBe(true);
  });

  it('are not stored for a channel that got another key while they were fetched', async () => {
    const id = await createWith(20);
    billing.beforeReply = () => {
      delete billing.beforeReply;
      return testBed.call('PUT', '/api/channel', { id, key: 'another' });
    };
    await testBed.call('GET', `/api/channel/update_balance/${id}/`);
    expect(await testBed.find(id)).toMatchObject({ balance: 0, balance_updated_time: 0 });
  });

  it('of all channels disable empty channels with automatic disabling, and skip channels that fail', async () => {
    await testBed.setOptions({ AutomaticDisableChannelEnabled: 'true' });
    const full = await createWith(30);
    const empty = await createWith(2);
    const spared = await createWith(2, 'good', { auto_ban: 0 });
    const refused = await createWith(30, 'wrong');
    expect((await testBed.call('GET', '/api/channel/update_balance')).body).toEqual({ success: true, message: '' });
    expect(await testBed.find(full)).toMatchObject({ balance: 27.5, status: 1 });
    expect(await testBed.find(empty)).toMatchObject({
      balance: -0.5,
      status: 3,
      other_info: expect.stringContaining('余额不足'),
    });
    expect(await testBed.find(spared)).toMatchObject({ balance: -0.5, status: 1 });
    expect(await testBed.find(refused)).toMatchObject({ balance: 0, status: 1 });
  });

  it('disable an empty channel with the documented reason, even when automatic disabling by failures is off', async () => {
    await testBed.setOptions({});
    const empty = await createWith(1);
    await testBed.call('GET', '/api/channel/update_balance');
    const channel = await testBed.find(empty);
    expect(channel).toMatchObject({ balance: -1.5, status: 3 });
    expect(JSON.parse(channel.other_info)).toMatchObject({ status_reason: '余额不足' });
  });

  it('are fetched by the schedule when they are due', async () => {
    await testBed.query('delete from "channel" returning 1');
    const id = await createWith(30);
    await testBed.setOptions({ ChannelUpdateFrequency: '5' });
    const schedule = testBed.get(ChannelSchedule);
    expect(await schedule.runIfDue('balance')).toBe(false);
    await testBed.query(`update "scheduled_run" set "next_at" = now() - interval '1 second' returning 1`);
    expect(await schedule.runIfDue('test')).toBe(false);
    expect(await schedule.runIfDue('balance')).toBe(true);
    expect(await testBed.find(id)).toMatchObject({ balance: 27.5 });
    expect(await schedule.runIfDue('balance')).toBe(false);
  });

  it('leave most channels enabled when all of them seem to be empty', async () => {
    await testBed.query('delete from "channel" returning 1');
    const ids = await Promise.all([1, 1, 1, 1, 1, 1].map((limit) => createWith(limit)));
    await testBed.call('GET', '/api/channel/update_balance');
    const statuses = await Promise.all(ids.map(async (id) => (await testBed.find(id)).status));
    expect(statuses.filter((status) => status === 3)).toHaveLength(2);
    const held = await testBed.query<{ reason: string; cause: string }>(
      `select "reason", "cause" from "channel_transition" where "outcome" = 'held' and "channel_id" = any(array[?]::int[])`,
      [ids],
    );
    expect(held).toEqual(Array.from({ length: 4 }, () => ({ reason: '余额不足', cause: 'balance' })));
  });

  // The last test, because it stops the service.
  it('are asked for by no new call once the service stops', async () => {
    await testBed.query('delete from "channel" returning 1');
    await Promise.all(Array.from({ length: 12 }, () => createWith(30)));
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    let calls = 0;
    billing.beforeReply = () => {
      calls += 1;
      if (calls === 1) testBed.get(Lifecycle).drain().then(stop, stop);
      return stopped;
    };
    await testBed.call('GET', '/api/channel/update_balance');
    expect(calls).toBe(2 * 8); // Two calls for each of the eight channels that are asked at once.
  });
});
