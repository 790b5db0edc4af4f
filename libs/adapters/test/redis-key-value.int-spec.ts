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

describe('Redis that is away', () => {
  it('fails a command instead of waiting for ever, and stops', async () => {
    const store = new RedisKeyValue({ url: 'redis://127.0.0.1:1', log });
    await expect(store.get('a')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.admit('a', 1, 1000)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(store.start(100)).rejects.toThrow(/127\.0\.0\.1:1.*REDIS_URL/s);
    await store.stop();
  }, 15_000);
});
