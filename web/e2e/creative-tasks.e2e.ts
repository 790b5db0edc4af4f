import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person, TaskUpstream } from '@tollgate/testing';
import { startTaskUpstream, TASK_KEY } from '@tollgate/testing';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { setOption } from './support/seeded.js';
import type { Tab } from './support/tab.js';

const CHAT = '我们的聊天';
/** A change at the upstream is seen with the next poll, which a slow machine may do late. */
const POLLED = { timeout: 60_000 };

/** Starts an external chat program; `asked` has every address requested from it. */
async function startChatProgram(): Promise<{ url: string; asked: string[]; server: Server }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>chat</title><p>ready</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}

describe('drawings, songs and chats of a user', () => {
  let running: RunningSite;
  let upstream: TaskUpstream;
  let chat: Awaited<ReturnType<typeof startChatProgram>>;
  let bob: Person;
  let key: string;
  let tab: Tab;

  beforeAll(async () => {
    [running, upstream, chat] = await Promise.all([runSite(), startTaskUpstream(), startChatProgram()]);
    const { product, desk } = running;
    const common = { key: TASK_KEY, base_url: upstream.url };
    await product.channel({ ...common, name: 'mj', type: 2, models: 'mj_imagine' });
    await product.channel({ ...common, name: 'suno', type: 36, models: 'suno_music' });
    await setOption(product, 'Chats', JSON.stringify([{ [CHAT]: `${chat.url}/?key={key}&url={address}` }]));
    bob = await product.user('bob', 1_000_000);
    key = await product.token(bob, { name: 'app' });
    tab = await desk.tab({ person: bob });
  });
  afterAll(async () => {
    chat?.server.closeAllConnections();
    chat?.server.close();
    await running?.close();
    await upstream?.close();
  });

  const submit = async <Reply>(path: string, body: object): Promise<Reply> => {
    const reply = await fetch(`${running.product.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(200);
    return (await reply.json()) as Reply;
  };
  const balance = async (text: string): Promise<void> => {
    await tab.visit('/');
    await tab.page.locator('main').getByText(text, { exact: true }).first().waitFor();
  };

  it('shows the progress of a drawing live', async () => {
    const { result: id } = await submit<{ result: string }>('/mj/submit/imagine', { prompt: 'a cat on a mat' });
    await tab.visit('/midjourney', '[data-row]');
    await tab.row(id).getByText('队列中').waitFor();
    upstream.drawings.set(id, { id, status: 'IN_PROGRESS', progress: '40%' });
    await tab.row(id).getByText('执行中').waitFor(POLLED);
    await tab.row(id).getByText('40%').waitFor();
    await balance('$1.90');
  });

  it('refunds a failed one, and shows that beside the reason', async () => {
    const [id = ''] = upstream.drawings.keys();
    await tab.visit('/midjourney', '[data-row]');
    upstream.drawings.set(id, { id, status: 'FAILURE', progress: '40%', failReason: 'banned prompt' });
    await tab.row(id).getByText('失败', { exact: true }).waitFor(POLLED);
    await tab.row(id).getByText('已退 $0.10').waitFor();
    await tab.row(id).getByRole('button', { name: 'banned prompt' }).click();
    await tab.page.getByRole('dialog', { name: '失败原因' }).getByText('banned prompt').waitFor();
    await tab.button('关闭').click();
    await balance('$2.00');
    // The price was held, booked and refunded; the log has a row for each.
    await tab.visit('/midjourney', '[data-row]');
    await tab.row(id).getByRole('button', { name: '查看证明链' }).click();
    await tab.page.waitForURL(/\/proof\/task\/[0-9a-f-]{36}$/);
    for (const link of ['预扣与租约', '入账']) await tab.page.getByText(link, { exact: true }).first().waitFor();
    await tab.page
      .getByText(/-?50,?000|0\.10/)
      .first()
      .waitFor();
    await tab.visit('/log?type=4', '[data-row]');
    await tab.row(`构图失败 ${id}`).waitFor();
  });

  it('shows a song and its full record', async () => {
    const { data: id } = await submit<{ data: string }>('/suno/submit/music', { prompt: 'la la' });
    const clip = 'https://cdn.example.com/clip.mp3';
    upstream.songs.set(id, { task_id: id, status: 'SUCCESS', progress: '100%', data: [{ audio_url: clip }] });
    await tab.visit('/task', '[data-row]');
    await tab.row(id).getByText('成功', { exact: true }).waitFor();
    await tab.row(id).getByText('生成音乐').waitFor();
    await tab.row(id).getByRole('button', { name: id }).click();
    await tab.page.getByRole('dialog').getByText(clip).waitFor();
    await balance('$1.90');
  });

  it('opens a chat from the menu, and names the target before it passes the key on', async () => {
    const { page } = tab;
    await tab.visit('/token', '[data-row]');
    await page.getByRole('navigation', { name: '侧边导航' }).getByRole('button', { name: '聊天' }).click();
    await page.getByRole('link', { name: CHAT }).click();
    await page.getByRole('heading', { level: 1, name: `打开「${CHAT}」` }).waitFor();
    await page.locator('main').getByText(new URL(chat.url).host).waitFor();
    await tab.settled();
    expect(chat.asked).toEqual([]);
    await tab.button('同意并打开').click();
    await page.frameLocator('iframe').getByText('ready').waitFor();
    const [asked = ''] = chat.asked;
    expect(new URL(asked, chat.url).searchParams.get('key')).toBe(key);
    // A user who has agreed is not asked again; another link would need its own consent.
    await tab.visit('/chat/0', 'iframe');
    await tab.button('同意并打开').waitFor({ state: 'hidden' });
  });

  it('causes no error in the console of the browser', () => {
    expect(tab.faults).toEqual([]);
  });
});
