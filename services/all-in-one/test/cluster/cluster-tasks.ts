import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Person, readUntil, type Site, startTaskUpstream, TASK_KEY, type TaskUpstream } from '@tollgate/testing';
import { Client } from 'pg';
import { type Cluster, untilReplaced } from './cluster.js';
import { quotaOf } from '../support/relay-site.js';
import { randomFrom } from '../support/witness.js';

const CREDIT = 100_000_000;
/** 0.10 USD per task of any kind. */
const PRICE = 50_000;
const TASKS = 16;
const KILLS = 2;
/** Each seed needs three restarts of processes, so the regular run uses one. */
const SEEDS = process.env.TOLLGATE_ATTACKS === 'all' ? [1, 2, 3, 4] : [1];
const SETTLED_MS = 60_000;
/** Long enough for a poller, a consumer and a duplicate refund to show up. */
const QUIET_MS = 4_000;

interface Standing {
  open: number;
  failed: number;
  refunds: number;
  /** Requests refunded more than once, or without having failed. */
  wrong: number;
}

const SWITCH = 'AutomaticDisableChannelEnabled';

interface Option {
  key: string;
  value: string;
}
interface Health {
  status: number;
  status_reason: string;
}
interface Why {
  obstacles: string[];
  channels: { id: number; place: string }[];
}
interface Entry {
  actor_name: string;
  after: { value: string; revision: number };
}

/** The state of a user's tasks, read from the owners' tables. */
async function standingOf(databaseUrl: string, userId: number): Promise<Standing> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const { rows } = await client.query<Record<keyof Standing, number>>(
      `with "own" as (select * from "channel"."task" where "user_id" = $1),
         "back" as (select "reference", count(*)::int as "times" from "billing"."posting"
           where "code" = 'task-refund' and "user_id" = $1 group by 1)
       select (select count(*)::int from "own" where "over_at" is null) as "open",
         (select count(*)::int from "own" where "status" = 'FAILURE') as "failed",
         (select coalesce(sum("times"), 0)::int from "back") as "refunds",
         (select count(*)::int from "back" left join "own" on "own"."request_id"::text = "back"."reference"
           where "times" > 1 or "own"."status" is distinct from 'FAILURE') as "wrong"`,
      [userId],
    );
    return rows[0] as Standing;
  } finally {
    await client.end();
  }
}

/** Tasks on two replicas of the channel service, which are killed while they poll. */
export function describeTasks(stage: () => { cluster: Cluster; site: Site }): void {
  describe('drawings and songs in a cluster', () => {
    let upstream: TaskUpstream;
    let person: Person;
    let key: string;

    beforeAll(async () => {
      const { site } = stage();
      upstream = await startTaskUpstream();
      const common = { key: TASK_KEY };
      await site.channel({ ...common, name: 'mj', type: 2, base_url: upstream.url, models: 'mj_imagine' });
      await site.channel({ ...common, name: 'suno', type: 36, base_url: `${upstream.url}/suno`, models: 'suno_music' });
      person = await site.user('drawer', CREDIT);
      key = await site.token(person);
    }, 60_000);
    afterAll(() => upstream?.close());

    const submit = async (path: string, body: object, headers: Record<string, string>): Promise<string> => {
      const reply = await fetch(`${stage().cluster.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      const { result, data } = (await reply.json()) as { result?: string; data?: string };
      const id = result ?? data;
      if (reply.status !== 200 || !id) throw new Error(`${path} answered ${reply.status}`);
      return id;
    };
    const draw = () => submit('/mj/submit/imagine', { prompt: 'a cat' }, { 'mj-api-secret': key });
    const sing = () => submit('/suno/submit/music', { prompt: 'la' }, { authorization: `Bearer ${key}` });

    /** Sets what the upstream reports about a task from now on. */
    const end = (id: string, isFailed: boolean): void => {
      const told = { status: isFailed ? 'FAILURE' : 'SUCCESS', progress: '100%' };
      if (id.startsWith('mj-')) upstream.drawings.set(id, { id, ...told, failReason: isFailed ? 'banned' : '' });
      else upstream.songs.set(id, { task_id: id, ...told, fail_reason: isFailed ? 'banned' : '' });
    };
    it('show at every replica why a channel was disabled, and the previous value of an option', async () => {
      const { cluster, site } = stage();
      const { root } = site;
      const optionOf = async (): Promise<Option> => {
        const options = await root.data<Option[]>('GET', '/api/option/');
        return options.find(({ key: name }) => name === SWITCH) as Option;
      };
      const before = await optionOf();
      await root.data('PUT', '/api/option/', { key: SWITCH, value: 'true' });
      const common = { type: 2, key: TASK_KEY, base_url: upstream.url, models: 'mj_shorten' };
      const empty = await site.channel({ ...common, name: 'empty' });
      upstream.answer = { body: { code: 3, description: 'no account' } };
      const shorten = (): Promise<Response> =>
        fetch(`${cluster.url}/mj/submit/shorten`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'mj-api-secret': key },
          body: JSON.stringify({ prompt: 'a long prompt' }),
        });
      const healthOf = () => root.data<Health>('GET', `/api/channel/${empty}/health`);
      const isOff = (health: Health): boolean => health.status === 3;
      const health = await readUntil(async () => ((await shorten()).body?.cancel(), healthOf()), isOff, SETTLED_MS);
      upstream.answer = undefined;
      expect(health).toMatchObject({ status: 3, status_reason: 'No available account instance' });
      // Every replica must report the same state and reason and make the same choice for a request.
      for (let ask = 0; ask < 6; ask += 1) {
        expect(await healthOf()).toMatchObject({ status: 3, status_reason: health.status_reason });
        const why = await root.data<Why>('GET', '/api/channel/why?group=default&model=mj_shorten');
        expect(why).toMatchObject({ obstacles: ['no_channel'], channels: [{ id: empty, place: 'out' }] });
      }
      const refused = await readUntil(shorten, ({ status }) => status === 503, SETTLED_MS);
      expect(await refused.json()).toMatchObject({ code: 4, description: expect.stringContaining('无可用渠道') });
      // The audit log contains the previous value; the undo succeeds once, with the revision that was read.
      const entries = () => root.data<{ items: Entry[] }>('GET', `/api/audit?subject=option:${SWITCH}`);
      const [entry] = (await readUntil(entries, ({ items }) => items.length > 0, SETTLED_MS)).items;
      expect(entry).toMatchObject({ actor_name: 'root', after: { value: 'true' } });
      const undo = { key: SWITCH, value: before.value, revision: entry?.after.revision };
      await root.data('PUT', '/api/option/', undo);
      expect((await root.call('PUT', '/api/option/', undo)).body).toMatchObject({ success: false, kind: 'conflict' });
      for (let ask = 0; ask < 4; ask += 1) expect((await optionOf()).value).toBe(before.value);
    }, 120_000);

    const killOne = async (random: () => number): Promise<void> => {
      const { cluster } = stage();
      const replicas = cluster.run().processes.filter(({ service }) => service === 'channel');
      expect(replicas).toHaveLength(2);
      const victim = replicas[Math.floor(random() * replicas.length)];
      if (victim?.pid === undefined) return;
      process.kill(victim.pid, 'SIGKILL');
      await untilReplaced(cluster, victim.name, victim.pid);
    };

    it.each(SEEDS)(
      'refund each failed task once, whenever a poller is killed (seed %i)',
      async (seed) => {
        const { cluster, site } = stage();
        const random = randomFrom(seed);
        const before = await standingOf(cluster.databaseUrl, person.id);
        const quota = await quotaOf(site, person.id);
        const ids = await Promise.all(Array.from({ length: TASKS }, () => (random() < 0.6 ? draw() : sing())));
        const failing = new Set(ids.filter(() => random() < 0.5));
        // Tasks end one after the other while pollers are killed at random moments.
        const ending = (async () => {
          for (const id of ids) {
            await pause(random() * 600);
            end(id, failing.has(id));
          }
        })();
        for (let kill = 0; kill < KILLS; kill += 1) {
          await pause(200 + random() * 2_500);
          await killOne(random);
        }
        await ending;
        const expected = {
          open: 0,
          failed: before.failed + failing.size,
          refunds: before.refunds + failing.size,
          wrong: 0,
        };
        const left = quota - (TASKS - failing.size) * PRICE;
        const look = async () => ({
          ...(await standingOf(cluster.databaseUrl, person.id)),
          left: await quotaOf(site, person.id),
        });
        const isRight = (found: Awaited<ReturnType<typeof look>>): boolean =>
          JSON.stringify(found) === JSON.stringify({ ...expected, left });
        expect(await readUntil(look, isRight, SETTLED_MS)).toEqual({ ...expected, left });
        // The last leader is killed too; nothing may be reported or refunded twice.
        await killOne(random);
        await pause(QUIET_MS);
        expect(await look()).toEqual({ ...expected, left });
        expect(failing.size).toBeGreaterThan(0);
      },
      180_000,
    );
  });
}
