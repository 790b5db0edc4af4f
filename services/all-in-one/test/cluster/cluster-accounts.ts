import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { personArchiveSchema } from '@tollgate/contracts/api/person';
import {
  EPAY_ID,
  EPAY_KEY,
  type EpayTestGateway,
  type FakeUpstream,
  type MailServer,
  type OidcStandIn,
  passwordOf,
  Person,
  readUntil,
  type Site,
  startEpayGateway,
  startFakeUpstream,
  startMailServer,
  startOidcProvider,
} from '@tollgate/testing';
import { Client } from 'pg';
import { type Cluster, untilReplaced } from './cluster.js';
import { ask, quotaOf } from '../support/relay-site.js';

interface Order {
  id: number;
  trade_no: string;
  status: string;
}

const DOLLAR = 500_000;
/** A model that no other test of the cluster uses. */
const MODEL = 'gpt-4-1106-preview';

/**
 * Signing in, paying, notices and deletion on several replicas. Servers outside of the product are fakes that speak the
 * real protocols.
 */
export function describeAccounts(stage: () => { cluster: Cluster; site: Site }): void {
  describe('accounts and money in a cluster', () => {
    let mail: MailServer;
    let oidc: OidcStandIn;
    let epay: EpayTestGateway;
    let upstream: FakeUpstream;
    let database: Client;

    const set = (options: Record<string, string>) =>
      Promise.all(
        Object.entries(options).map(([key, value]) => stage().site.root.data('PUT', '/api/option/', { key, value })),
      );
    const origin = () => stage().cluster.url;
    /** Digits only, because the mail also contains the name of the system, which may have six letters. */
    const codeIn = (text: string): string => /\b[0-9]{6}\b/.exec(text)?.[0] ?? '';

    beforeAll(async () => {
      const { cluster, site } = stage();
      [mail, oidc, epay, upstream] = await Promise.all([
        startMailServer(),
        startOidcProvider({ redirectUris: [`${origin()}/oauth/oidc`] }),
        startEpayGateway(),
        startFakeUpstream({ behaviour: { tokens: 10 } }),
      ]);
      database = new Client({ connectionString: cluster.databaseUrl });
      await database.connect();
      await set({ ServerAddress: cluster.url, SMTPPort: String(mail.port), SMTPFrom: 'us@acme.example' });
      await set({ SMTPServer: '127.0.0.1', PayAddress: epay.url, EpayId: EPAY_ID, EpayKey: EPAY_KEY });
      await set({ 'oidc.client_id': oidc.clientId, 'oidc.client_secret': oidc.clientSecret });
      await set({ 'oidc.well_known': oidc.wellKnown });
      await set({ 'oidc.enabled': 'true' });
      await site.channel({ name: 'accounts', base_url: upstream.url, models: MODEL });
    }, 60_000);
    afterAll(async () => {
      await database?.end();
      await Promise.all([mail, oidc, epay, upstream].map((standIn) => standIn?.close()));
    });

    it('are registered and reset by mail, also after an outage of the mail server', async () => {
      const { site } = stage();
      const { port } = mail;
      await set({ EmailVerificationEnabled: 'true' });
      try {
        await mail.close();
        const visitor = site.visitor();
        const asked = await visitor.call('GET', '/api/verification?email=zoe@acme.example');
        expect(asked.body).toMatchObject({ success: true });
        const waits = async () =>
          (await database.query('select "reason" from "identity"."delivery" where "target" = $1', ['zoe@acme.example']))
            .rows as { reason: string }[];
        expect((await readUntil(waits, ([row]) => Boolean(row?.reason), 15_000))[0]?.reason).not.toBe('');
        mail = await startMailServer({ port });
        const { text } = await mail.mailTo('zoe@acme.example');
        const form = { username: 'zoe', password: 'zoe has one', email: 'zoe@acme.example' };
        const wrong = await visitor.call('POST', '/api/user/register', { ...form, verification_code: 'zzzzzz' });
        expect(wrong.body.success).toBe(false);
        const entered = await visitor.call('POST', '/api/user/register', { ...form, verification_code: codeIn(text) });
        expect(entered.body).toMatchObject({ success: true, message: '' });
      } finally {
        await set({ EmailVerificationEnabled: 'false' });
      }
      const zoe = new Person(origin());
      await zoe.signIn('zoe', 'zoe has one');
      await site.visitor().data('GET', '/api/reset_password?email=zoe@acme.example');
      const { text } = await mail.mailTo('zoe@acme.example', /user\/reset/);
      const token = /token=([0-9a-f]+)/.exec(text)?.[1] ?? '';
      const reset = { email: 'zoe@acme.example', token };
      const [first, second] = await Promise.all([
        site.visitor().call<string>('POST', '/api/user/reset', reset),
        site.visitor().call<string>('POST', '/api/user/reset', reset),
      ]);
      const [right] = [first, second].filter(({ body }) => body.success);
      expect([first, second].filter(({ body }) => body.success)).toHaveLength(1);
      const isOut = () => zoe.call('GET', '/api/user/self').then(({ body }) => !body.success);
      expect(await readUntil(isOut, Boolean)).toBe(true);
      await zoe.signIn('zoe', right?.body.data ?? '');
    }, 90_000);

    const come = async (person: Person) => {
      const address = await person.data<string>('GET', `/api/oauth/authorize?provider=oidc&origin=${origin()}&aff=`);
      const back = await oidc.follow(address);
      return person.call<{ id: number }>('GET', `/api/oauth/oidc${back.search}`);
    };

    it('sign in by OIDC, and bind and unbind it', async () => {
      const { site } = stage();
      oidc.person = { sub: 'cluster-1', email: 'c1@provider.example', email_verified: true, preferred_username: 'cee' };
      const cee = new Person(origin());
      const first = await come(cee);
      expect(first.body).toMatchObject({ success: true, data: { username: 'cee' } });
      expect((await come(new Person(origin()))).body.data.id).toBe(first.body.data.id);

      const dee = await site.user('dee', 0);
      expect((await come(dee)).body.success).toBe(false);
      oidc.person = { sub: 'cluster-2', email: 'c2@provider.example', email_verified: true };
      expect((await come(dee)).body).toMatchObject({ success: true, message: 'bind' });
      expect((await come(new Person(origin()))).body.data.id).toBe(dee.id);
      await dee.data('DELETE', '/api/user/self/binding/oidc');
      expect(await dee.data('GET', '/api/user/self')).toMatchObject({ oidc_id: '' });
      oidc.person = { sub: 'cluster-1', email: 'c1@provider.example', email_verified: true };
      expect((await come(new Person(origin()))).body.data.id).toBe(first.body.data.id);
    }, 90_000);

    const begin = async (payer: Person): Promise<Order> => {
      const { body } = await payer.call('POST', '/api/user/pay', { amount: 1, payment_method: 'zfb' });
      await fetch(`${epay.url}/submit.php`, { method: 'POST', body: new URLSearchParams(body.data as never) });
      return newest(payer);
    };
    const newest = async (payer: Person): Promise<Order> => {
      const { items } = await payer.data<{ items: Order[] }>('GET', '/api/user/topup/self');
      const [order] = items;
      if (!order) throw new Error('no order');
      return order;
    };

    it('are credited once for five simultaneous payment callbacks, never for another amount, and also late', async () => {
      const { site } = stage();
      const payer = await site.user('payer', 0);
      const paid = await begin(payer);
      const answers = await Promise.all(Array.from({ length: 5 }, () => epay.notify(paid.trade_no)));
      expect(new Set(answers)).toEqual(new Set(['success']));
      expect([await quotaOf(site, payer.id), (await newest(payer)).status]).toEqual([DOLLAR, 'paid']);

      const wrong = await begin(payer);
      expect(await epay.notify(wrong.trade_no, { money: '0.01' })).toBe('fail');
      expect([await quotaOf(site, payer.id), (await newest(payer)).status]).toEqual([DOLLAR, 'refused']);

      const late = await begin(payer);
      // Sets the status that the hourly expiry would set, since the replicas check only every half minute.
      await database.query(`update "billing"."top_up_order" set "status" = 'expired' where "trade_no" = $1`, [
        late.trade_no,
      ]);
      expect(await epay.notify(late.trade_no)).toBe('success');
      expect([await quotaOf(site, payer.id), (await newest(payer)).status]).toEqual([2 * DOLLAR, 'paid']);

      const gone = await site.user('goner', 0);
      const left = await begin(gone);
      await site.root.data('DELETE', `/api/user/${gone.id}`);
      expect(await epay.notify(left.trade_no)).toBe('success');
      const { steps } = await site.root.data<{ steps: { verdict: string }[] }>('GET', `/api/user/topup/${left.id}`);
      expect(steps.at(-1)?.verdict).toBe('owner-gone');
      await site.root.data('POST', `/api/user/topup/${left.id}/refund`, { reason: 'deleted' });
      expect(await site.root.data('GET', `/api/user/topup/${left.id}`)).toMatchObject({ status: 'refunded' });
    }, 90_000);

    it('redeem a code once for simultaneous requests', async () => {
      const { site } = stage();
      const redeemer = await site.user('redeemer', 0);
      const [key] = await site.root.data<string[]>('POST', '/api/redemption/', { name: 'one', count: 1, quota: 700 });
      const tries = await Promise.all(
        Array.from({ length: 20 }, () => redeemer.call('POST', '/api/user/topup', { key })),
      );
      expect(tries.filter(({ body }) => body.success)).toHaveLength(1);
      expect(await quotaOf(site, redeemer.id)).toBe(700);
    }, 90_000);

    it('get one notice when the balance runs low', async () => {
      const { site } = stage();
      const spender = await site.user('spender', 10_000);
      const key = await site.token(spender);
      const setting = {
        notify_type: 'email',
        quota_warning_threshold: 9_999,
        notification_email: 'spender@acme.example',
      };
      await spender.data('PUT', '/api/user/setting', setting);
      const call = () => ask(origin(), { dialect: 'openai', key, prompt: 'hello', body: { model: MODEL } });
      for (let turn = 0; turn < 3; turn += 1) expect((await call()).status).toBe(200);
      await mail.mailTo('spender@acme.example');
      for (let turn = 0; turn < 3; turn += 1) expect((await call()).status).toBe(200);
      const booked = await readUntil(
        () => site.root.data<{ request_count: number }>('GET', `/api/user/${spender.id}`),
        ({ request_count: count }) => count === 6,
        15_000,
      );
      expect(booked.request_count).toBe(6);
      const { rows } = await database.query('select 1 from "identity"."delivery" where "user_id" = $1', [spender.id]);
      expect(rows).toHaveLength(1);
      expect(mail.mails.filter(({ to }) => to.includes('spender@acme.example'))).toHaveLength(1);
    }, 90_000);

    it('are exported, and are erased although consumers are killed meanwhile', async () => {
      const { cluster, site } = stage();
      const leaver = await site.user('leaver', 100_000);
      const key = await site.token(leaver, { name: "leaver's laptop" });
      const call = () => ask(origin(), { dialect: 'openai', key, prompt: 'hello', body: { model: MODEL } });
      expect((await call()).status).toBe(200);
      const rowsOf = async () =>
        (
          await database.query<Record<string, string>>('select * from "logging"."log" where "user_id" = $1', [
            leaver.id,
          ])
        ).rows;
      expect(await readUntil(rowsOf, (rows) => rows.some(({ type }) => Number(type) === 2), 15_000)).not.toEqual([]);
      const before = await rowsOf();
      const reply = await fetch(`${origin()}/api/user/self/export`, {
        headers: { cookie: leaver.cookie, 'new-api-user': String(leaver.id) },
      });
      const text = await reply.text();
      const archive = personArchiveSchema.parse(JSON.parse(text));
      expect(archive.account).toMatchObject({ username: 'leaver' });
      expect(archive.logs).toHaveLength(before.length);
      expect(archive.tokens).toMatchObject([{ name: "leaver's laptop" }]);
      expect(archive.journal.length).toBeGreaterThan(0);
      expect(text).not.toContain(key.slice(3));

      const victims = cluster.run().processes.filter(({ service }) => service === 'logging' || service === 'billing');
      const proof = { username: 'leaver', password: passwordOf('leaver') };
      expect((await leaver.call('POST', '/api/user/self/erase', proof)).body).toMatchObject({ success: true });
      for (const { pid } of victims) process.kill(pid as number, 'SIGKILL');
      for (const { name, pid } of victims) await untilReplaced(cluster, name, pid as number);
      expect((await leaver.call('GET', '/api/user/self')).body.success).toBe(false);
      const refused = await readUntil(
        () => call().then(({ status }) => status),
        (status) => status === 401,
        15_000,
      );
      expect(refused).toBe(401);
      const after = await readUntil(
        rowsOf,
        (rows) => rows.every(({ username }) => username === `erased-${leaver.id}`),
        30_000,
      );
      expect(after.map(({ username }) => username)).toEqual(before.map(() => `erased-${leaver.id}`));
      expect(after.map(({ quota, prompt_tokens: prompt }) => [quota, prompt])).toEqual(
        before.map(({ quota, prompt_tokens: prompt }) => [quota, prompt]),
      );
      const tokens = () =>
        database
          .query<Record<string, string>>('select * from "billing"."token" where "user_id" = $1', [leaver.id])
          .then(({ rows }) => rows);
      const [token] = await readUntil(tokens, (rows) => rows[0]?.['key_sealed'] === '', 30_000);
      expect(token).toMatchObject({ name: '', key_sealed: '' });
      const { items } = await site.root.data<{ items: { username: string; id: number }[] }>(
        'GET',
        `/api/user/search?keyword=${leaver.id}&group=`,
      );
      expect(items.find(({ id }) => id === leaver.id)?.username).toBe(`erased-${leaver.id}`);
      await expect(new Person(origin()).signIn('leaver', passwordOf('leaver'))).rejects.toThrow();
    }, 120_000);
  });
}
