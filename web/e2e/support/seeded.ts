import type { FakeUpstream, Person, Site } from '@tollgate/testing';
import { BAD_KEY, eventually, startFakeUpstream } from '@tollgate/testing';
import type { ProductSite } from './product.js';
import { startSite } from './product.js';

export const CHANNELS = 42;
const REQUESTS = 66;
export const TOKENS = 12;

/** A product with enough data to fill its pages, and with rows in every state. */
export interface Seeded {
  site: ProductSite;
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
  const site = await startSite();
  const close = async (): Promise<void> => {
    await site.close();
    await upstream.close();
  };
  try {
    return { site, upstream, ...(await seed(site, upstream)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function seed(site: Site, upstream: FakeUpstream): Promise<Pick<Seeded, 'admin' | 'user' | 'key'>> {
  // Texts of an operator may be in any language.
  await setOption(site, 'UserUsableGroups', '{"default":"Default","vip":"Very important"}');
  await setOption(site, 'AutomaticDisableChannelEnabled', 'true');
  await makeChannels(site, upstream);
  const key = await makeTokens(site);
  const [admin, user] = await makePeople(site);
  await makeRequests(site, key);
  return { admin, user, key };
}

export const setOption = (site: Site, key: string, value: string): Promise<unknown> =>
  site.root.data('PUT', '/api/option/', { key, value });

async function makeChannels(site: Site, upstream: FakeUpstream): Promise<void> {
  const healthy = { base_url: upstream.url, models: 'gpt-4o,gpt-4o-mini,gpt-4' };
  for (let index = 1; index <= CHANNELS - 2; index += 1) {
    const name = `channel-${String(index).padStart(2, '0')}`;
    await site.channel({ ...healthy, name, priority: index % 3, tag: index % 4 === 0 ? 'prod' : '' });
  }
  const off = await site.channel({ ...healthy, name: 'switched-off', priority: 9 });
  await site.root.data('PUT', '/api/channel/', { id: off, status: 2 });
  // The upstream refuses its key, so the first request for its model disables the channel.
  await site.channel({ ...healthy, name: 'refused', priority: 9, models: 'gpt-4-turbo', key: BAD_KEY });
}

async function makeTokens({ root, token }: Site): Promise<string> {
  const soon = Math.floor(Date.now() / 1000) + 86_400;
  await token(root, { name: 'limited', unlimited_quota: false, remain_quota: 250_000 });
  await token(root, { name: 'spent', unlimited_quota: false, remain_quota: 0 });
  await token(root, { name: 'ends-soon', expired_time: soon, group: 'default' });
  await token(root, { name: 'some-models', model_limits_enabled: true, model_limits: 'gpt-4o' });
  for (let index = 6; index <= TOKENS; index += 1) await token(root, { name: `token-${index}` });
  return token(root, { name: 'caller' });
}

async function makePeople(site: Site): Promise<[Person, Person]> {
  const admin = await site.user('ann', 1_000_000);
  await site.root.data('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
  await admin.signIn('ann', 'ann has a password');
  const user = await site.user('bob', 1_000_000);
  const banned = await site.user('carl', 0);
  await site.root.data('POST', '/api/user/manage', { id: banned.id, action: 'disable' });
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

async function makeRequests(site: Site, key: string): Promise<void> {
  await ask(site.url, 'sk-of-nobody');
  await ask(site.url, key, 'gpt-4-turbo');
  for (let index = 0; index < REQUESTS; index += 6) {
    const models = Array.from({ length: 6 }, (_, at) => (at % 2 ? 'gpt-4o' : 'gpt-4o-mini'));
    await Promise.all(models.map((model) => ask(site.url, key, model, '[[tokens=400]] hello')));
  }
  await eventuallyInProduct('the requests in the log', async () => {
    const { total } = await site.root.data<{ total: number }>('GET', '/api/log/?p=1&page_size=10&type=2');
    return total >= REQUESTS;
  });
  await eventuallyInProduct('the trace of the refused call', async () => {
    const { total } = await site.root.data<{ total: number }>('GET', '/api/log/refusal?p=1&page_size=10');
    return total > 0;
  });
  await eventuallyInProduct('the refused channel switched off', async () => {
    const rows = await site.root.data<unknown[]>('GET', '/api/channel/?p=0&page_size=10&status=3');
    return rows.length > 0;
  });
}

/** Waits longer than other tests do: the product may be a cluster on a slow machine. */
export const eventuallyInProduct = (what: string, holds: () => Promise<boolean>): Promise<boolean> =>
  eventually(what, holds, 60_000);
