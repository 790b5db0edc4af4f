import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type ApiReply,
  type FakeUpstream,
  passwordOf,
  type Person,
  type TestBed,
  startFakeUpstream,
  startTestBed,
} from '@tollgate/testing';
import { expectFields, makeAdmin } from '../api/support.js';
import { type Caller, type DataKind, type DocumentedCall, documentedCalls } from './index.js';

const DAY = 86_400;

/** Checks the documented type of `data`. */
const isOf: Record<DataKind, (data: unknown) => boolean> = {
  list: Array.isArray,
  page: (data) => Array.isArray(entriesOf(data)) && typeof (data as { total?: unknown }).total === 'number',
  object: (data) => typeof data === 'object' && data !== null && !Array.isArray(data),
  text: (data) => typeof data === 'string',
  number: (data) => Number.isSafeInteger(data),
  unsaid: () => true,
};
const entriesOf = (data: unknown): unknown => (data as { items?: unknown } | null)?.items;
const recordsOf = (data: unknown): Record<string, unknown>[] =>
  [entriesOf(data) ?? data].flat().filter((entry) => typeof entry === 'object') as Record<string, unknown>[];

/**
 * The calls run in sequence, because some create what later ones read. Logout and the deletion of the account use a
 * separate user.
 */
describe('the documented calls', () => {
  let owners = 0;
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let user: Person;
  let admin: Person;
  const own: Record<string, string | number> = {};

  const fill = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replace(/"\{(\w+)\}"|\{(\w+)\}/g, (place, whole?: string, part?: string) => {
        const found = own[whole ?? part ?? ''];
        if (found === undefined) return place;
        return whole === undefined ? String(found) : JSON.stringify(found);
      }),
    ) as T;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    user = await testBed.user('walker', 5_000_000);
    admin = await makeAdmin(testBed, 'anadmin');
    await admin.signIn('anadmin', passwordOf('anadmin'));
    const now = Math.floor(Date.now() / 1000);
    const places = { from: now - DAY, to: now + 3600, fromMs: (now - DAY) * 1000, toMs: (now + 3600) * 1000 };
    const people = { name: 'walker', user: user.id, other: (await testBed.user('other', 0)).id };
    const doomed = (await testBed.user('doomed', 0)).id;
    Object.assign(own, places, people, {
      doomed,
      password: passwordOf('walker'),
      newName: 'newcomer',
      spareName: 'spare',
      upstream: upstream.url,
      channel: await testBed.channel({ name: 'walked', base_url: upstream.url }),
      spareChannel: await testBed.channel({ name: 'doomed', base_url: upstream.url }),
    });
    own['key'] = (await testBed.token(user, { name: 'read by' })).replace(/^sk-/, '');
    await testBed.token(user, { name: 'kept' });
    own['token'] = (await user.data<{ id: number }[]>('GET', '/api/token/search?keyword=kept&token='))[0]!.id;
    const [key] = await testBed.root.data<string[]>('POST', '/api/redemption/', {
      name: 'gift',
      quota: 1000,
      count: 2,
    });
    own['code'] = key!;
    const { items } = await testBed.root.data<{ items: { id: number; key: string }[] }>('GET', '/api/redemption/?p=1');
    own['redemption'] = items.find((code) => code.key !== key)!.id;
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });

  const personOf = (caller: Caller): Person =>
    caller === 'visitor' ? testBed.visitor() : caller === 'user' ? user : admin;
  const ask = (person: Person, { method, path, body = {} }: DocumentedCall): Promise<ApiReply> =>
    person.call(method, fill(path), method === 'GET' || method === 'DELETE' ? undefined : fill(body));

  /** The reply comes from the owner of the path, in the envelope, and does not say that the call is not implemented. */
  function expectServed({ status, body }: ApiReply): void {
    expect(status).toBeLessThan(500);
    expect([404, 405]).not.toContain(status);
    expectFields(body, { success: 'boolean', message: 'string' });
    expect(body.message).not.toMatch(/尚未|未实现|即将推出|not implemented/i);
  }

  const called = documentedCalls.map((call) => [`${call.method} ${call.path.split('&')[0]}`, call] as const);

  it.each(called.filter(([, { by }]) => by !== 'visitor'))('%s refuses a visitor', async (_, call) => {
    const { status, body } = await ask(testBed.visitor(), call);
    expect([status, body]).toEqual([401, expect.objectContaining({ success: false, message: expect.any(String) })]);
  });

  it.each(called.filter(([, { by }]) => by === 'administrator'))('%s refuses a user', async (_, call) => {
    const { status, body } = await ask(user, call);
    expect([status, body]).toMatchObject([200, { success: false, message: '无权进行此操作，权限不足' }]);
  });

  it.each(called.filter(([, { streams }]) => !streams))('%s is served', async (_, call) => {
    const reply = await ask(personOf(call.by), call);
    expectServed(reply);
    if (call.mayRefuse && !reply.body.success) return expect(reply.body.message).not.toBe('');
    expect([reply.body.success, reply.body.message]).toEqual([true, expect.any(String)]);
    const { data } = reply.body;
    expect([isOf[call.data](data), data]).toEqual([true, data]);
    for (const record of recordsOf(data))
      expect(Object.keys(record)).toEqual(expect.arrayContaining([...(call.fields ?? [])]));
    expect(Object.keys(reply.body)).toEqual(expect.arrayContaining([...(call.beside ?? [])]));
  });

  it.each(called.filter(([, { streams }]) => streams))('%s streams events up to the end marker', async (_, call) => {
    const person = await testBed.user('streamer', 5_000_000);
    const reply = await fetch(`${testBed.url}${call.path}`, {
      method: call.method,
      headers: { cookie: person.cookie, 'new-api-user': String(person.id), 'content-type': 'application/json' },
      body: JSON.stringify(call.body),
    });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const lines = (await reply.text()).split('\n').filter((line) => line.startsWith('data:'));
    expect(lines.at(-1)).toBe('data: [DONE]');
    const deltas = lines
      .slice(0, -1)
      .map((line) => JSON.parse(line.slice(5)) as { choices?: { delta?: { content?: string } }[] });
    expect(deltas.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join('')).not.toBe('');
  });

  it.each([
    { method: 'GET', path: '/api/user/epay/notify', status: 200, body: 'fail' },
    { method: 'POST', path: '/api/user/epay/notify', status: 200, body: 'fail' },
    { method: 'GET', path: '/mj/image/none', status: 400, body: /midjourney_task_not_found/ },
    { method: 'GET', path: '/mj-fast/mj/image/none', status: 400, body: /midjourney_task_not_found/ },
    { method: 'GET', path: '/dashboard/billing/subscription', status: 200, body: /"billing_subscription"/ },
    { method: 'GET', path: '/v1/dashboard/billing/subscription', status: 200, body: /"billing_subscription"/ },
    { method: 'GET', path: '/dashboard/billing/usage', status: 200, body: /"total_usage"/ },
    { method: 'GET', path: '/v1/dashboard/billing/usage', status: 200, body: /"total_usage"/ },
    { method: 'GET', path: '/v1/models', status: 200, body: /"gpt-4o-mini"/ },
    { method: 'GET', path: '/v1/models/gpt-4o-mini', status: 200, body: /"gpt-4o-mini"/ },
  ])('$method $path replies in its own form', async ({ method, path, status, body }) => {
    const authorization = `Bearer ${await testBed.token(await testBed.user(`owner${(owners += 1)}`, 1000))}`;
    const reply = await fetch(`${testBed.url}${path}`, { method, headers: { authorization } });
    expect([reply.status, await reply.text()]).toEqual([
      status,
      typeof body === 'string' ? body : expect.stringMatching(body),
    ]);
  });
});
