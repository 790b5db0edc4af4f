import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@tollgate/chassis';
import { createDatabase, eventually } from '@tollgate/testing';
import { Client } from 'pg';
import { Leader } from '../src/events/leader.js';
import { startWay } from './start-way.js';

const log = Logger.root('silent');

describe('Leader', () => {
  let way: Awaited<ReturnType<typeof startWay>> | undefined;
  afterEach(() => way?.close());

  it('says once per outage that the lock is lost, or that none can be competed for', async () => {
    const database = await createDatabase();
    const warn = jest.spyOn(log, 'warn').mockReturnValue();
    const info = jest.spyOn(log, 'info').mockReturnValue();
    const [first, second] = ['first', 'second'].map(() => new Leader({ url: database.url, name: 'own', log }));
    const client = new Client({ connectionString: database.url });
    try {
      await client.connect();
      await first?.start();
      await second?.start();
      expect([first?.isLeader, second?.isLeader]).toEqual([true, false]);
      const connects = [first, second].map((leader) =>
        jest
          .spyOn(leader as unknown as { connect(): Promise<unknown> }, 'connect')
          .mockRejectedValue(new Error('away')),
      );
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tollgate-leader-own'`,
      );
      for (const connect of connects) await eventually('three attempts', () => connect.mock.calls.length >= 3);
      expect(warn.mock.calls.map(([text]) => text).sort()).toEqual([
        'lost the connection that holds the lock "own", will go on trying',
        'no connection to compete for the lock "own", will go on trying',
      ]);
      for (const connect of connects) connect.mockRestore();
      await eventually('both compete again', () => info.mock.calls.length === 2);
    } finally {
      warn.mockRestore();
      info.mockRestore();
      await first?.stop();
      await second?.stop();
      await client.end();
      await database.drop();
    }
  }, 60_000);

  it('is stopped soon when the server has vanished without closing its connections', async () => {
    const database = await createDatabase();
    way = await startWay(database.url);
    const onLost = jest.fn();
    const leader = new Leader({ url: way.url, name: 'vanished', log, onLost });
    try {
      await leader.start();
      expect(leader.isLeader).toBe(true);
      way.vanish();
      await leader.stop();
      expect(leader.isLeader).toBe(false);
      expect(onLost).toHaveBeenCalledTimes(1);
    } finally {
      await database.drop();
    }
  }, 20_000);
});
