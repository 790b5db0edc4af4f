import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Delivery as DeliveryReply } from '@tollgate/contracts/api/delivery';
import { eventually, hasPostgres } from '@tollgate/testing';
import { Delivery } from '../src/delivery/delivery.entity.js';
import { DeliveryPump } from '../src/delivery/delivery-pump.js';
import { DeliveryQueries } from '../src/delivery/delivery.queries.js';
import { TrustedSettings } from '../src/option/trusted-settings.js';
import { User } from '../src/user/user.entity.js';
import { done, MailWorld } from './mail-world.js';
import { addUser } from './test-bed.js';

(hasPostgres() ? describe : describe.skip)('the delivery of mails', () => {
  const world = new MailWorld();
  beforeAll(() => world.open(), 60_000);
  afterAll(() => world.close());

  it('mails no reset link to users of equal or higher rank than the administrator who last changed the mail settings', async () => {
    const [admin, equal] = [await addUser(world.testBed, world.root, 10), await addUser(world.testBed, world.root, 10)];
    const people = { root: world.root, admin, equal, user: await addUser(world.testBed, world.root) };
    for (const [name, { id }] of Object.entries(people))
      await world.testBed.em().nativeUpdate(User, { id }, { email: `${name}@example.com` });
    const refused = /其他管理员修改过/;
    await world.configure();
    const told = async (name: keyof typeof people, expected: RegExp) => {
      world.server.mails.length = 0;
      expect(await world.ask('/api/reset_password', `${name}@example.com`)).toEqual(done);
      expect((await world.server.mailTo(`${name}@example.com`)).text).toMatch(expected);
    };
    for (const name of ['root', 'equal'] as const) await told(name, /token=/);
    for (const [key, value] of [
      ['ServerAddress', 'http://localhost:3000'],
      ['SMTPToken', 'secret'],
    ] as const) {
      await world.testBed.request('PUT', '/api/option/', { as: admin, body: { key, value } });
      for (const name of ['root', 'equal'] as const) await told(name, refused);
      for (const name of ['admin', 'user'] as const) await told(name, /token=/);
      await world.put(key, value);
      for (const name of ['root', 'equal'] as const) await told(name, /token=/);
    }
  });

  it('drops a waiting reset link when an administrator changes the mail server meanwhile', async () => {
    await world.configure();
    const [admin, equal] = [await addUser(world.testBed, world.root, 10), await addUser(world.testBed, world.root, 10)];
    const email = 'waits@example.com';
    await world.testBed.em().nativeUpdate(User, { id: equal.id }, { email });
    const row = async () => world.testBed.em().findOneOrFail(Delivery, { target: email });
    world.server.refusal = { code: 451, message: 'come back later' };
    expect(await world.ask('/api/reset_password', email)).toEqual(done);
    await eventually('the first attempt failed', async () => (await row()).reason !== '');
    const body = { key: 'SMTPToken', value: 'secret' };
    await world.testBed.request('PUT', '/api/option/', { as: admin, body });
    world.server.refusal = undefined;
    await world.testBed.em().nativeUpdate(Delivery, { target: email }, { nextAttemptAt: new Date() });
    await eventually('the delivery is over', async () => (await row()).status !== 'waiting');
    expect(await row()).toMatchObject({ status: 'failed', sealedPayload: null });
    expect((await row()).reason).toContain('其他管理员修改');
    expect(world.server.mails.filter(({ to }) => to.includes(email))).toEqual([]);
    await world.configure();
    await world.testBed.em().nativeDelete(Delivery, { target: email });
  });

  it('tries a mail again after an outage of the database, whether that came before or after the mail was sent', async () => {
    await world.configure();
    const { id } = await addUser(world.testBed, world.root);
    const email = 'outage@example.com';
    await world.testBed.em().nativeUpdate(User, { id }, { email });
    const row = async () => world.testBed.em().findOneOrFail(Delivery, { target: email });
    const again = () => world.testBed.em().nativeUpdate(Delivery, { target: email }, { nextAttemptAt: new Date() });
    const terminated = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const trusted = jest.spyOn(world.testBed.own(TrustedSettings), 'mayVouchFor');
    trusted.mockResolvedValueOnce(true).mockRejectedValueOnce(terminated);
    const failures: unknown[] = [];
    const pump = world.testBed.own(DeliveryPump);
    const run = pump.run.bind(pump);
    jest.spyOn(pump, 'run').mockImplementation(() => run().catch((error: unknown) => void failures.push(error)));
    const failed = (count: number) => eventually('the run fails with the database', () => failures.length === count);
    expect(await world.ask('/api/reset_password', email)).toEqual(done);
    await failed(1);
    expect(trusted).toHaveBeenCalledTimes(2);
    expect(await row()).toMatchObject({ status: 'waiting', attempts: 1, sealedPayload: expect.any(String) });

    await world.testBed.em().execute(`create function "break_off"() returns trigger language plpgsql as $body$
      begin raise exception 'terminating connection' using errcode = '57P01'; end $body$`);
    await world.testBed.em().execute(`create trigger "break_off" before update on "delivery" for each row
      when (new."status" = 'sent' and new."target" = '${email}') execute function "break_off"()`);
    await again();
    await world.server.mailTo(email);
    await failed(2);
    expect(await row()).toMatchObject({ status: 'waiting', attempts: 2 });
    await world.testBed.em().execute('drop trigger "break_off" on "delivery"');
    await again();
    await eventually('the delivery is over', async () => (await row()).status !== 'waiting');
    expect(await row()).toMatchObject({ status: 'sent', reason: '', sealedPayload: null });
    await world.testBed.em().nativeDelete(Delivery, { target: email });
  });

  it('retries a mail until the server accepts it, and lists the delivery with its outcome', async () => {
    const before = await world.attempts();
    world.server.refusal = { code: 451, message: 'come back later' };
    expect(await world.ask('/api/verification', 'late@example.com')).toEqual(done);
    const row = async () => world.testBed.em().findOneOrFail(Delivery, { target: 'late@example.com' });
    await eventually('the first attempt failed', async () => (await row()).reason !== '');
    expect(await row()).toMatchObject({ status: 'waiting', attempts: 1 });
    expect((await row()).sealedPayload).not.toContain('late@example.com');
    world.server.refusal = undefined;
    await world.testBed.em().nativeUpdate(Delivery, { target: 'late@example.com' }, { nextAttemptAt: new Date() });
    await world.server.mailTo('late@example.com');
    await eventually('the delivery is over', async () => (await row()).status !== 'waiting');
    expect(await row()).toMatchObject({ status: 'sent', sealedPayload: null, reason: '' });

    world.server.refusal = { code: 550, message: 'nobody here' };
    await world.ask('/api/verification', 'gone@example.com');
    const gone = async () => world.testBed.em().findOneOrFail(Delivery, { target: 'gone@example.com' });
    await eventually('the delivery is over', async () => (await gone()).status !== 'waiting');
    expect(await gone()).toMatchObject({ status: 'failed', attempts: 1 });
    const after = await world.attempts();
    expect(['sent', 'later', 'failed'].map((outcome) => (after[outcome] ?? 0) - (before[outcome] ?? 0))).toEqual([
      1, 1, 1,
    ]);
    world.server.refusal = undefined;

    const list = await world.testBed.request('GET', '/api/delivery/', { as: world.root, query: { status: 'failed' } });
    const { items } = list.body.data as { items: DeliveryReply[] };
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({ target: 'gone@example.com', via: 'mail', status: 'failed', user_id: 0 });
    expect(items[0]?.reason).toContain('nobody here');
    const found = async (query: Record<string, string | number>) =>
      (
        (await world.testBed.request('GET', '/api/delivery/', { as: world.root, query })).body.data as {
          items: DeliveryReply[];
        }
      ).items;
    const all = await found({ page_size: 100 });
    const [first] = all;
    const ofKind = all.filter(({ kind }) => kind === first?.kind);
    expect(await found({ kind: first?.kind ?? '', page_size: 100 })).toEqual(ofKind);
    expect(await found({ kind: 'unheard-of' })).toEqual([]);
    expect(await found({ p: 2, page_size: 1 })).toEqual(all.slice(1, 2));
    const addressee = all.find(({ user_id: id }) => id > 0)?.user_id ?? world.root.id;
    expect(await found({ user_id: addressee, page_size: 100 })).toEqual(
      all.filter(({ user_id: id }) => id === addressee),
    );
    expect(await found({ user_id: 99_999_999_999 })).toEqual([]);
    const user = await addUser(world.testBed, world.root);
    expect((await world.testBed.request('GET', '/api/delivery/', { as: user })).body.success).toBe(false);
    const own = await world.testBed.request('GET', '/api/delivery/self', { as: user });
    expect(own.body.data).toMatchObject({ items: [], total: 0 });
  });

  it("lists everybody's deliveries only for a query that names nobody, not for one that names user 0", async () => {
    await world.configure();
    expect(await world.ask('/api/verification', 'listed@example.com')).toEqual(done);
    const totalFor = async (userId: number | undefined) =>
      (await new DeliveryQueries(world.testBed.em()).list({ userId, status: '', kind: '' }, { page: 1, size: 10 }))
        .total;
    expect(await totalFor(undefined)).toBeGreaterThan(0);
    expect(await totalFor(0)).toBe(0);
  });
});
