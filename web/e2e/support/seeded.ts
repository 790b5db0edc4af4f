import { allServices } from '@tollgate/all-in-one';
import type { FakeUpstream, Person, Site, TestBed } from '@tollgate/testing';
import { BAD_KEY, startFakeUpstream, startTestBed } from '@tollgate/testing';

export const CHANNELS = 42;
export const REQUESTS = 66;
export const TOKENS = 12;

/** A product with enough data to fill its pages, and with rows in every state. */
export interface Seeded {
  testBed: TestBed;
  upstream: FakeUpstream;
  /** An administrator (role 10). */
  admin: Person;
  /** A user (role 1). */
  user: Person;
  /** An API key of the super administrator. */
  key: string;
  close(): Promise<void>;
}

export async function startSeeded(): Promise<Seeded> {
  const upstream = await startFakeUpstream();
  const testBed = await startTestBed(allServices);
  const close = async (): Promise<void> => {
    await testBed.close();
    await upstream.close();
  };
  try {
    return { testBed, upstream, ...(await seed(testBed, upstream)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function seed(testBed: TestBed, upstream: FakeUpstream): Promise<Pick<Seeded, 'admin' | 'user' | 'key'>> {
  // Texts of an operator may be in any language.
  await setOption(testBed, 'UserUsableGroups', '{"default":"Default","vip":"Very important"}');
  await setOption(testBed, 'AutomaticDisableChannelEnabled', 'true');
  await makeChannels(testBed, upstream);
  const key = await makeTokens(testBed);
  const [admin, user] = await makePeople(testBed);
  await makeRequests(testBed, key);
  return { admin, user, key };
}

export const setOption = (site: Site, key: string, value: string): Promise<unknown> =>
  site.root.data('PUT', '/api/option/', { key, value });

async function makeChannels(testBed: TestBed, upstream: FakeUpstream): Promise<void> {
  const healthy = { base_url: upstream.url, models: 'gpt-4o,gpt-4o-mini,gpt-4' };
  for (let index = 1; index <= CHANNELS - 2; index += 1) {
    const name = `channel-${String(index).padStart(2, '0')}`;
    await testBed.channel({ ...healthy, name, priority: index % 3, tag: index % 4 === 0 ? 'prod' : '' });
  }
  const off = await testBed.channel({ ...healthy, name: 'switched-off', priority: 9 });
  await testBed.root.data('PUT', '/api/channel/', { id: off, status: 2 });
  // The upstream refuses its key, so the first request for its model disables the channel.
  await testBed.channel({ ...healthy, name: 'refused', priority: 9, models: 'gpt-4-turbo', key: BAD_KEY });
}

async function makeTokens({ root, token }: TestBed): Promise<string> {
  const soon = Math.floor(Date.now() / 1000) + 86_400;
  await token(root, { name: 'limited', unlimited_quota: false, remain_quota: 250_000 });
  await token(root, { name: 'spent', unlimited_quota: false, remain_quota: 0 });
  await token(root, { name: 'ends-soon', expired_time: soon });
  await token(root, { name: 'some-models', model_limits_enabled: true, model_limits: 'gpt-4o', group: 'default' });
  for (let index = 6; index <= TOKENS; index += 1) await token(root, { name: `token-${index}` });
  return token(root, { name: 'caller' });
}

async function makePeople(testBed: TestBed): Promise<[Person, Person]> {
  const admin = await testBed.user('ann', 1_000_000);
  await testBed.root.data('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
  await admin.signIn('ann', 'ann has a password');
  const user = await testBed.user('bob', 1_000_000);
  const banned = await testBed.user('carl', 0);
  await testBed.root.data('POST', '/api/user/manage', { id: banned.id, action: 'disable' });
  return [admin, user];
}

/** Makes one model call; returns the status of the reply. */
export async function ask(url: string, key: string, model = 'gpt-4o-mini', text = 'hello'): Promise<number> {
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: text }] }),
  });
  await reply.arrayBuffer();
  return reply.status;
}

async function makeRequests(testBed: TestBed, key: string): Promise<void> {
  await ask(testBed.url, 'sk-of-nobody');
  await ask(testBed.url, key, 'gpt-4-turbo');
  for (let index = 0; index < REQUESTS; index += 6) {
    const models = Array.from({ length: 6 }, (_, at) => (at % 2 ? 'gpt-4o' : 'gpt-4o-mini'));
    await Promise.all(models.map((model) => ask(testBed.url, key, model, '[[tokens=400]] hello')));
  }
  await eventually('the requests in the log', async () => {
    const { total } = await testBed.root.data<{ total: number }>('GET', '/api/log/?p=1&page_size=10&type=2');
    return total >= REQUESTS;
  });
  await eventually('the trace of the refused call', async () => {
    const { total } = await testBed.root.data<{ total: number }>('GET', '/api/log/refusal?p=1&page_size=10');
    return total > 0;
  });
  await eventually('the refused channel switched off', async () => {
    const rows = await testBed.root.data<unknown[]>('GET', '/api/channel/?p=0&page_size=10&status=3');
    return rows.length > 0;
  });
}

const TURNS = 100;
const TURN_MS = 100;

/** Waits until a condition holds that the product fulfils asynchronously. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, TURN_MS));
  }
  throw new Error(`never came: ${what}`);
}
