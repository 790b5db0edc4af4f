import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isAlive } from '@tollgate/embedded';
import {
  BAD_KEY,
  type FakeUpstream,
  type Person,
  readUntil,
  type RealtimeUpstream,
  type Site,
  startFakeUpstream,
  startRealtimeUpstream,
} from '@tollgate/testing';
import { type Cluster, untilReplaced } from './cluster.js';
import { RealtimeClient } from '../support/realtime-client.js';
import { ask, logRows, quotaOf, rowOf } from '../support/relay-site.js';

const MODEL = 'gpt-4o-realtime-preview';
/** Models that no other test of the cluster uses. */
const REPEATED = 'gpt-4-0613';
const KEYED = 'gpt-4-0125-preview';
const LIMITED = 'gpt-4-32k-0613';
/** See `realtime.int-spec.ts`. */
const ANSWER = 2126;

/** Realtime sessions and repeated calls on two relays behind a gateway. */
export function describeReplicaSessions(stage: () => { cluster: Cluster; site: Site }): void {
  describe('sessions and repeated calls in a cluster', () => {
    let upstream: RealtimeUpstream;
    let fake: FakeUpstream;
    let person: Person;
    let key: string;

    beforeAll(async () => {
      const { site } = stage();
      upstream = await startRealtimeUpstream();
      fake = await startFakeUpstream();
      await site.channel({ name: 'realtime', base_url: upstream.url, models: MODEL });
      await site.channel({ name: 'repeated', base_url: fake.url, models: `${REPEATED},${LIMITED}` });
      person = await site.user('replicas', 100_000_000);
      key = await site.token(person);
    }, 60_000);
    afterAll(async () => {
      await upstream?.close();
      await fake?.close();
    });

    it('finish their replies when a relay stops, are asked to reconnect, and are charged', async () => {
      const { cluster, site } = stage();
      const relays = cluster.run().processes.filter(({ service }) => service === 'relay');
      const stopping = relays[0] as { name: string; pid: number };
      const clients = Array.from({ length: 6 }, () => RealtimeClient.open(cluster.url, key, MODEL));
      for (const client of clients) await client.heard('session.created');
      upstream.behave({ words: 30, paceMs: 50 });
      for (const client of clients) client.send({ type: 'response.create' });
      for (const client of clients) await client.heard('response.created');
      process.kill(stopping.pid, 'SIGTERM');
      for (const client of clients) await client.heard('response.done');
      await readUntil(
        () => Promise.resolve(isAlive(stopping.pid)),
        (alive) => !alive,
        20_000,
      );
      const told = clients.filter(({ closed }) => closed?.code === 1012);
      expect(told.length).toBeGreaterThan(0);
      for (const client of told) expect(client.events.at(-1)?.error?.code).toBe('relay_stopped');
      upstream.behave({});
      for (const client of clients.filter(({ closed }) => !closed)) {
        await client.ask();
        client.socket.close();
      }
      const rows = await Promise.all(clients.map(({ requestId }) => rowOf(site, requestId)));
      for (const [index, row] of rows.entries()) {
        const answers = told.includes(clients[index] as RealtimeClient) ? 1 : 2;
        expect([row.other.outcome, row.quota]).toEqual(['completed', answers === 1 ? ANSWER : 4253]);
      }
      await untilReplaced(cluster, stopping.name, stopping.pid);
    }, 90_000);

    it('do not use a channel key that is set aside, at every relay and after a restart', async () => {
      const { cluster, site } = stage();
      await site.root.data('PUT', '/api/option/', { key: 'AutomaticDisableChannelEnabled', value: 'true' });
      // A separate user, so that late bookings do not disturb the counts of other tests.
      const own = await site.token(await site.user('keyed', 1_000_000));
      const keys = { key: `${BAD_KEY}\nsk-good-upstream-2222`, multi_key_mode: 'polling' };
      const id = await site.channel({ name: 'keyed', base_url: fake.url, models: KEYED, ...keys });
      const call = async (): Promise<number> => {
        const asked = { dialect: 'openai' as const, key: own, prompt: 'of two keys', body: { model: KEYED } };
        const reply = await ask(cluster.url, asked);
        await reply.text();
        return reply.status;
      };
      const statuses = async (): Promise<number[]> =>
        (await site.root.data<{ status: number }[]>('GET', `/api/channel/${id}/keys`)).map(({ status }) => status);
      const told = await readUntil(
        async () => {
          await call();
          return statuses();
        },
        ([bad]) => bad === 3,
        20_000,
      );
      expect(told).toEqual([3, 1]);
      // The relays learn of the change one after another.
      const several = (): Promise<number[]> => Promise.all(Array.from({ length: 8 }, call));
      const served = await readUntil(several, (all) => all.every((status) => status === 200), 10_000);
      expect(served).toEqual(Array.from({ length: 8 }, () => 200));
      const replicas = cluster.run().processes.filter(({ service }) => service === 'relay' || service === 'channel');
      for (const { name, pid } of replicas as { name: string; pid: number }[]) {
        process.kill(pid, 'SIGTERM');
        await untilReplaced(cluster, name, pid);
      }
      fake.reset();
      expect(await Promise.all(Array.from({ length: 20 }, call))).toEqual(Array.from({ length: 20 }, () => 200));
      const refused = fake
        .journal()
        .filter(({ status, body }) => status === 401 && JSON.stringify(body).includes('two'));
      expect([refused, await statuses()]).toEqual([[], [3, 1]]);
    }, 120_000);

    it('serve no more calls at once than the limit of successful requests allows, over all relays', async () => {
      const { cluster, site } = stage();
      const set = (name: string, value: string) => site.root.data('PUT', '/api/option/', { key: name, value });
      const caller = async (name: string): Promise<(count: number) => Promise<number[]>> => {
        const own = await site.token(await site.user(name, 1_000_000));
        const call = async (): Promise<number> => {
          const asked = { dialect: 'openai' as const, key: own, prompt: 'all at once', body: { model: LIMITED } };
          const reply = await ask(cluster.url, asked);
          await reply.text();
          return reply.status;
        };
        return (count) => Promise.all(Array.from({ length: count }, call));
      };
      const [spent, fresh] = [await caller('spent'), await caller('fresh')];
      await set('ModelRequestRateLimitSuccessCount', '5');
      await set('ModelRequestRateLimitEnabled', 'true');
      try {
        // The relays learn of the options one after another.
        const refused = await readUntil(
          () => spent(8),
          (all) => all.every((status) => status === 429),
          10_000,
        );
        expect(refused).toEqual(Array.from({ length: 8 }, () => 429));
        fake.control({ latencyMs: 500 });
        const served = (await fresh(20)).filter((status) => status === 200);
        expect([served.length, (await fresh(8)).filter((status) => status !== 429)]).toEqual([5, []]);
      } finally {
        fake.reset();
        await set('ModelRequestRateLimitEnabled', 'false');
        await set('ModelRequestRateLimitSuccessCount', '1000');
      }
    }, 60_000);

    it('run one of many calls with the same Idempotency-Key over all relays, and answer the others from it', async () => {
      const { cluster, site } = stage();
      const before = await quotaOf(site, person.id);
      fake.reset();
      fake.control({ latencyMs: 500 });
      const call = (): Promise<Response> =>
        ask(cluster.url, {
          ...{ dialect: 'openai', key, prompt: 'once and only once', body: { model: REPEATED } },
          headers: { 'idempotency-key': 'over replicas' },
        });
      const replies = await Promise.all(Array.from({ length: 10 }, call));
      const told = await Promise.all(
        replies.map(async (reply) => ({
          status: reply.status,
          text: await reply.text(),
          id: reply.headers.get('x-oneapi-request-id') ?? '',
          again: reply.headers.get('idempotency-replayed') === 'true',
        })),
      );
      const ran = told.filter(({ status, again }) => status === 200 && !again);
      expect(ran).toHaveLength(1);
      const [{ text, id }] = ran as [(typeof told)[number]];
      // A call that a slow machine sends after the first has ended is answered with its result; every other one must be
      // told to wait.
      const strays = told.filter((reply) => reply.status !== 409 && !(reply.status === 200 && reply.text === text));
      expect(strays).toEqual([]);
      for (let turn = 0; turn < 4; turn += 1) {
        const again = await call();
        expect([again.headers.get('idempotency-replayed'), await again.text()]).toEqual(['true', text]);
      }
      expect(fake.served()).toBe(1);
      const row = await rowOf(site, id);
      const quota = await readUntil(
        () => quotaOf(site, person.id),
        (left) => left !== before,
      );
      expect([quota, (await logRows(site)).filter(({ model_name }) => model_name === REPEATED)]).toEqual([
        before - row.quota,
        [row],
      ]);
    }, 60_000);
  });
}
