import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, describe, expect, it } from '@jest/globals';
import { describeKeyValue, eventually, LocalRedis, startRedis } from '@tollgate/testing';
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
      try {
        await store.start();
        await store.subscribe('channel', (message) => heard.push(message));
        store.onLoss((isLosing) => heard.push(isLosing ? 'lost' : 'whole'));
        await server.kill();
        await eventually('lost is heard', () => heard.includes('lost'));
        await server.start();
        await eventually('whole is heard', () => heard.includes('whole'));
        // When this is reported, the subscription is active again.
        await store.publish('channel', 'look');
        await eventually('look is heard', () => heard.includes('look'));
        expect(heard).toEqual(['lost', 'whole', 'look']);
      } finally {
        await store.stop();
        await server.stop();
      }
    },
    30_000,
  );

  itStops('does not keep waiting who ends a subscription while it is away', async () => {
    const server = await LocalRedis.open();
    await server.start();
    const store = new RedisKeyValue({ url: server.url, log });
    const heard: string[] = [];
    try {
      await store.start();
      const end = await store.subscribe('channel', (message) => heard.push(message));
      store.onLoss((isLosing) => heard.push(isLosing ? 'lost' : 'whole'));
      await server.kill();
      await eventually('the loss is noticed', () => heard.includes('lost'));
      let isOver = false;
      void end().then(() => (isOver = true));
      await eventually('the subscription is over', () => isOver);
      await server.start();
      await eventually('the connection is there again', () => heard.includes('whole'));
      await store.publish('channel', 'look');
      await store.subscribe('other', (message) => heard.push(message));
      await store.publish('other', 'last');
      await eventually('the later message is heard', () => heard.includes('last'));
      expect(heard).toEqual(['lost', 'whole', 'last']);
    } finally {
      await store.stop();
      await server.stop();
    }
  });
});

/** A way to a server on which replies arrive late, and then all at once, as in a process that is busy starting. */
async function startSlowWay(url: string, lateMs: number) {
  let count = 0;
  let asked = 0;
  const way = createServer((client) => {
    count += 1;
    client.once('data', () => (asked += 1));
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
  return {
    url: `redis://127.0.0.1:${port}`,
    count: () => count,
    /** Connections on which the client has sent something. */
    asked: () => asked,
    close: () => void way.close(),
  };
}

describe('Redis that answers late', () => {
  const itIsThere = redis ? it : it.skip;

  itIsThere('takes a subscription on a connection that was just made, and keeps that connection', async () => {
    const way = await startSlowWay(redis?.url ?? '', 200);
    const store = new RedisKeyValue({ url: way.url, log });
    const heard: string[] = [];
    try {
      // Nothing has been answered yet on the two connections.
      await eventually('both connections are made', () => way.asked() === 2);
      await store.subscribe('channel', (message) => heard.push(message));
      await store.publish('channel', 'look');
      await eventually('the message is heard', () => heard.length > 0);
      expect(heard).toEqual(['look']);
      expect(way.count()).toBe(2);
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
    await expect(store.start(100)).rejects.toThrow(
      'No connection to Redis at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1. Check REDIS_URL',
    );
    await store.stop();
  });
});
