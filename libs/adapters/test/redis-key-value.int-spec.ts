import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { describeKeyValue, LocalRedis, startRedis } from '@tollgate/testing';
import { RedisKeyValue } from '../src/redis/redis-key-value.js';
import { Logger } from '@tollgate/chassis';

const log = Logger.root('silent');
const redis = await startRedis();

if (redis) {
  const { url } = redis;
  afterAll(() => redis.stop());
  describeKeyValue('Redis', async () => {
    const [store, other] = [new RedisKeyValue({ url, log }), new RedisKeyValue({ url, log })];
    return { store, other, close: async () => void (await Promise.all([store.stop(), other.stop()])) };
  });
} else {
  process.stderr.write(
    'SKIPPED: Redis as a key-value store, because there is no Redis: set TEST_REDIS_URL or install redis-server\n',
  );
  describe.skip('Redis as a key-value store', () => {
    it('needs a Redis', () => undefined);
  });
}

describe('Redis that comes back', () => {
  const itStops = redis?.local ? it : it.skip;

  itStops(
    'says from when to when broadcasts were lost',
    async () => {
      const server = await LocalRedis.open();
      await server.start();
      const store = new RedisKeyValue({ url: server.url, log });
      const heard: string[] = [];
      const until = async (text: string): Promise<void> => {
        for (let waited = 0; !heard.includes(text) && waited < 10_000; waited += 20) await pause(20);
        expect(heard).toContain(text);
      };
      try {
        await store.start();
        await store.subscribe('channel', (message) => heard.push(message));
        store.onLoss((isLosing) => heard.push(isLosing ? 'lost' : 'whole'));
        await server.kill();
        await until('lost');
        await server.start();
        await until('whole');
        // When this is reported, the subscription is active again.
        await store.publish('channel', 'look');
        await until('look');
        expect(heard).toEqual(['lost', 'whole', 'look']);
      } finally {
        await store.stop();
        await server.stop();
      }
    },
    30_000,
  );
});

/** A way to a server on which replies arrive late, and then all at once, as in a process that is busy starting. */
async function startSlowWay(url: string, lateMs: number): Promise<{ url: string; count(): number; close(): void }> {
  let count = 0;
  const way = createServer((client) => {
    count += 1;
    const server = connect(Number(new URL(url).port), '127.0.0.1');
    let late: Buffer[] = [];
    server.on('data', (chunk) => {
      if (late.push(chunk) > 1) return;
      setTimeout(() => {
        client.write(Buffer.concat(late));
        late = [];
      }, lateMs);
    });
    client.pipe(server);
    for (const [one, other] of [[client, server] as const, [server, client] as const])
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((done) => way.listen(0, '127.0.0.1', done));
  const { port } = way.address() as AddressInfo;
  return { url: `redis://127.0.0.1:${port}`, count: () => count, close: () => void way.close() };
}

describe('Redis that answers late', () => {
  const itIsThere = redis ? it : it.skip;

  itIsThere('takes a subscription on a connection that was just made, and keeps that connection', async () => {
    const way = await startSlowWay(redis?.url ?? '', 200);
    const store = new RedisKeyValue({ url: way.url, log });
    const heard: string[] = [];
    try {
      while (way.count() < 2) await pause(5);
      // The connections are made, and nothing has been answered on them.
      await pause(50);
      await store.subscribe('channel', (message) => heard.push(message));
      await pause(500);
      expect(way.count()).toBe(2);
      await store.publish('channel', 'look');
      await pause(500);
      expect(heard).toEqual(['look']);
    } finally {
      await store.stop();
      way.close();
    }
  });
});

describe('Redis that is away', () => {
  it('fails a command instead of waiting for ever, and stops', async () => {
    const store = new RedisKeyValue({ url: 'redis://127.0.0.1:1', log });
    await expect(store.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.admit('a', 1, 1000)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.start(100)).rejects.toThrow(/127\.0\.0\.1:1.*REDIS_URL/s);
    await store.stop();
  }, 15_000);
});
