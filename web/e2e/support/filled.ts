import type { Invoice } from '@tollgate/contracts/api/invoice';
import type { MailServer, TaskUpstream } from '@tollgate/testing';
import { startMailServer, startTaskUpstream, TASK_KEY } from '@tollgate/testing';
import type { Seeded } from './seeded.js';
import { ask, CHANNELS, eventuallyInProduct, setOption } from './seeded.js';

/** A seeded product whose other pages have content, too: drawings, songs, codes, orders, costs, an invoice, approvals, mails. */
export interface Filled {
  /** Id of a relay call, for its chain of proof. */
  request: string;
  invoice: number;
  /** Id of an approval that waits for a second administrator. */
  approval: number;
  close(): Promise<void>;
}

export async function fill(seeded: Seeded): Promise<Filled> {
  const tasks = await startTaskUpstream();
  const mail = await startMailServer({ plain: true });
  const close = async (): Promise<void> => {
    await tasks.close();
    await mail.close();
  };
  try {
    await makeTasks(seeded, tasks);
    await makeMoney(seeded);
    await makeMails(seeded, mail);
    const approval = await makeApprovals(seeded);
    return { approval, request: await requestOf(seeded), invoice: await makeInvoice(seeded), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeTasks({ site, key }: Seeded, tasks: TaskUpstream): Promise<void> {
  const common = { key: TASK_KEY, base_url: tasks.url };
  await site.channel({ ...common, name: 'drawings', type: 2, models: 'mj_imagine' });
  await site.channel({ ...common, name: 'songs', type: 36, models: 'suno_music' });
  const submit = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const reply = await fetch(`${site.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    await reply.arrayBuffer();
  };
  const prompt = 'a quiet harbour at dusk, boats, long exposure, in the style of an old postcard';
  for (let index = 0; index < 4; index += 1) await submit('/mj/submit/imagine', { prompt });
  for (let index = 0; index < 3; index += 1) await submit('/suno/submit/music', { prompt: 'a song of the sea' });
  const [done = '', failed = '', drawn = ''] = tasks.drawings.keys();
  tasks.drawings.set(done, { id: done, status: 'SUCCESS', progress: '100%', imageUrl: `${tasks.url}/pictures/1.png` });
  tasks.drawings.set(failed, { id: failed, status: 'FAILURE', progress: '40%', failReason: 'banned prompt detected' });
  tasks.drawings.set(drawn, { id: drawn, status: 'IN_PROGRESS', progress: '60%' });
  const [song = ''] = tasks.songs.keys();
  tasks.songs.set(song, { task_id: song, status: 'SUCCESS', progress: '100%', data: [] });
}

async function makeMoney({ site, user }: Seeded): Promise<void> {
  const { root } = site;
  const codes = await root.data<string[]>('POST', '/api/redemption/', { name: 'welcome', quota: 500_000, count: 6 });
  await user.data('POST', '/api/user/topup', { key: codes[0] });
  const shop = { ServerAddress: site.url, PayAddress: 'https://pay.example.com', EpayId: '1', EpayKey: 'a key' };
  for (const [name, value] of Object.entries(shop)) await setOption(site, name, value);
  const order = { amount: 25, top_up_code: '', payment_method: 'zfb' };
  for (const person of [root, user]) await person.call('POST', '/api/user/pay', order);
  const costs = [
    { model: '', terms: { ratio: 0.6 } },
    { model: 'gpt-4o', terms: { input: 2.5, output: 10, cache_read: 1.25 } },
  ];
  await root.data('PUT', '/api/cost', { channel_id: 1, costs });
  await setOption(site, 'Chats', JSON.stringify([{ 'Next Chat': 'https://chat.example.com/?key={key}' }]));
}

async function makeMails({ site, user }: Seeded, mail: MailServer): Promise<void> {
  const server = { SMTPPort: String(mail.port), SMTPFrom: 'gate@example.com', SMTPServer: '127.0.0.1' };
  for (const [name, value] of Object.entries(server)) await setOption(site, name, value);
  const write = (person: Seeded['user'], email: string): Promise<unknown> =>
    person.call('GET', `/api/verification?email=${email}`);
  await write(site.root, 'root@example.com');
  await write(user, 'bob@example.com');
  await mail.mailTo('bob@example.com');
  mail.refusal = { code: 550, message: 'mailbox unavailable' };
  await write(site.root, 'nobody@example.com');
}

/** Creates one pending approval and one refused one, and returns the pending one's id. */
async function makeApprovals({ site, admin, user }: Seeded): Promise<number> {
  await setOption(site, 'AdjustmentApprovalLimit', '1000');
  const adjust = async (quota: number, reason: string): Promise<number> => {
    const body = { id: user.id, username: 'bob', display_name: 'bob', group: 'default', quota, reason };
    const reply = await admin.call('PUT', '/api/user/', body);
    const id = (reply.body.params as { id?: number } | undefined)?.id;
    if (id === undefined) throw new Error(`nobody has to agree: ${JSON.stringify(reply.body)}`);
    return id;
  };
  const refused = await adjust(9_000_000, 'a gift for the new year');
  await site.root.data('POST', `/api/approval/${refused}/refuse`, { note: 'not agreed with finance' });
  return adjust(5_000_000, 'bank transfer 4711');
}

async function requestOf({ site, key }: Seeded): Promise<string> {
  await ask(site.url, key, 'gpt-4o', '[[tokens=200]] prove it');
  const { items } = await site.root.data<{ items: { other: string }[] }>('GET', '/api/log/?p=1&page_size=10&type=2');
  const { request_id: id } = JSON.parse(items[0]?.other ?? '{}') as { request_id?: string };
  if (id === undefined) throw new Error('no request in the log');
  return id;
}

/** Imports an invoice with models that match our counts more or less, and with one that we have no requests for. */
async function makeInvoice({ site }: Seeded): Promise<number> {
  const day = new Date().toISOString().slice(0, 10);
  const lines = [
    'day,model,requests,input,output,amount',
    `${day},gpt-4o-mini-2024-07-18,33,330,13200,0.0081`,
    `${day},gpt-4o-2024-08-06,33,401,13100,0.1350`,
    `${day},o3-deep-research,2,51200,8040,0.8330`,
  ];
  const columns = Object.fromEntries(
    ['day', 'model', 'requests', 'input', 'output', 'amount'].map((one) => [one, one]),
  );
  const channel_ids = Array.from({ length: CHANNELS }, (_, index) => index + 1);
  const body = { name: 'OpenAI, November 2026', format: 'columns', columns, channel_ids, csv: lines.join('\n') };
  const invoice = await site.root.data<Invoice>('POST', '/api/invoice', body);
  await eventuallyInProduct('the requests in the books of the invoice', async () => {
    const { matches } = await site.root.data<{ matches: { journal: { requests: number } }[] }>(
      'GET',
      `/api/invoice/${invoice.id}`,
    );
    return matches.some(({ journal }) => journal.requests > 0);
  });
  return invoice.id;
}
