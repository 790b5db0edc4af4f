import { afterAll, beforeAll, expect, it, describe } from '@jest/globals';
import { hasPostgres } from '@tollgate/testing';
import { ChannelTestRun } from '../src/channel-test/channel-test-run.js';
import { ChannelSchedule } from '../src/schedule/channel-schedule.js';
import { UpstreamWorld } from './upstream-world.js';

const withPostgres = hasPostgres() ? describe : describe.skip;

interface Entry {
  actorId: number;
  action: string;
  subject: string;
  after: object;
}

withPostgres('the audit log, of calls to providers that a person asked for', () => {
  const world = new UpstreamWorld();
  let first: number;
  let second: number;
  beforeAll(async () => {
    await world.open();
    first = await world.createAt('latency=0', { models: 'gpt-4o-mini' });
    second = await world.createAt('latency=0', { models: 'gpt-4o-mini' });
  }, 60_000);
  afterAll(() => world.close());

  /** The entries about providers that `work` has added. */
  const added = async (work: () => Promise<unknown>): Promise<Entry[]> => {
    const entries = async (): Promise<Entry[]> =>
      (await world.testBed.events<Entry>('admin-action')).filter(({ action }) =>
        ['channel-test', 'channel-balance'].includes(action),
      );
    const before = (await entries()).length;
    await work();
    return (await entries()).slice(before);
  };
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> =>
    world.testBed.call(method, path, body);

  it('has the test of one channel with its outcome', async () => {
    expect(await added(() => call('GET', `/api/channel/test/${first}`))).toEqual([
      { actorId: 7, action: 'channel-test', subject: `channel:${first}`, after: { success: true } },
    ]);
  });

  it('has the test of several, and of all once for the run', async () => {
    const several = { ids: [first, second] };
    expect(await added(() => call('POST', '/api/channel/batch/test', several))).toEqual([
      { actorId: 7, action: 'channel-test', subject: 'channels', after: { channels: [first, second] } },
    ]);
    const run = world.testBed.get(ChannelTestRun);
    const all = async (): Promise<void> => {
      await call('GET', '/api/channel/test');
      await run.settled();
    };
    expect(await added(all)).toEqual([
      { actorId: 7, action: 'channel-test', subject: 'channels', after: { channels: 'all' } },
    ]);
  });

  it('has the balances of all', async () => {
    expect(await added(() => call('GET', '/api/channel/update_balance'))).toEqual([
      { actorId: 7, action: 'channel-balance', subject: 'channels', after: { channels: 'all' } },
    ]);
  });

  it('has nothing of a run that the schedule began, nor of a call that was refused', async () => {
    await world.testBed.setOptions({ ChannelTestFrequency: '1' });
    const scheduled = async (): Promise<void> => {
      const schedule = world.testBed.get(ChannelSchedule);
      await schedule.runIfDue('test');
      await world.testBed.query(`update "scheduled_run" set "next_at" = now() - interval '1 minute' returning 1`);
      expect(await schedule.runIfDue('test')).toBe(true);
      await world.testBed.get(ChannelTestRun).settled();
    };
    world.upstream.reset();
    expect(await added(scheduled)).toEqual([]);
    expect(world.upstream.journal().length).toBeGreaterThan(0);
    expect(await added(() => call('GET', '/api/channel/test/999999'))).toEqual([]);
  });
});
