import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RequestConsumed } from '@tollgate/contracts';
import type { Person } from '@tollgate/testing';
import { v7 as uuidv7 } from 'uuid';
import type { Look } from './support/desk.js';
import { narrowEn, wideEn, wideZh } from './support/desk.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { ask, eventuallyInProduct } from './support/seeded.js';
import type { Tab } from './support/tab.js';

/** Folder for pictures; without it no pictures are taken. */
const SHOTS = process.env.TOLLGATE_SHOTS;
const LOOKS: Look[] = [wideZh, wideEn, narrowEn, { ...narrowEn, mode: 'dark', language: 'zh' }];
/** Width of an A4 sheet without its margins, in pixels. */
const SHEET_PX = 1009;
const DAY_MS = 86_400_000;
const MODEL = 'gpt-4o-mini';
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

interface Posting {
  id: string;
  amount: number;
  change: number;
}
interface Sums {
  consumed: number;
  net: number;
  requests: number;
  late: number;
  cost: number | null;
  margin: number | null;
}
interface Statement {
  items: (Sums & { period: string; key: string })[];
  totals: Sums;
  opening: number;
  closing: number;
}

/** Values of one column of a CSV file whose cells contain no comma. */
function columnOf(csv: string, name: string): string[] {
  const [head = '', ...lines] = csv.replace('\uFEFF', '').trim().split('\r\n');
  const at = head.split(',').indexOf(name);
  return lines.map((line) => line.split(',')[at] ?? '');
}
const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

describe('a month of finance', () => {
  const now = Date.now();
  const today = dayOf(now);
  const yesterday = dayOf(now - DAY_MS);
  const past = dayOf(now - 2 * DAY_MS);
  let running: RunningSite;
  let bob: Person;
  let ann: Tab;
  let root: Tab;

  beforeAll(async () => {
    running = await runSite();
    const { product, upstream, desk } = running;
    await product.channel({ name: 'only', base_url: upstream.url, models: MODEL });
    await product.root.data('PUT', '/api/option/', { key: 'AdjustmentApprovalLimit', value: '1000000' });
    bob = await product.user('bob', 1_000_000);
    const admin = await product.user('ann', 0);
    await product.root.data('POST', '/api/user/manage', { id: admin.id, action: 'promote' });
    await admin.signIn('ann', 'ann has a password');
    ann = await desk.tab({ person: admin });
    root = await desk.tab({ person: product.root });
  });
  afterAll(() => running?.close());

  const read = <T>(address: string): Promise<T> => running.product.root.data<T>('GET', address);
  const consumption = async (): Promise<Posting[]> =>
    (await read<{ items: Posting[] }>('/api/journal?code=consumption&page_size=100')).items;

  /** Appends the event of a request of two days ago, as a relay does that was disconnected. */
  async function arrive(quota: number): Promise<void> {
    const at = now - 2 * DAY_MS;
    const time = new Date(at).toISOString();
    const data: RequestConsumed = {
      ...{ userId: bob.id, tokenId: 0, channelId: 1, model: MODEL, group: 'default', endpoint: 'chat', quota },
      usage: { semantics: 'openai', inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5 },
      ...{ usageSource: 'upstream', priceVersion: 'none', outcome: 'completed', attempts: [], replicaEpoch: 'gone' },
      ...{ isStream: false, startedAt: time, durationMs: 5 },
    };
    const [id, type, subject] = [uuidv7({ msecs: at }), 'request-consumed', String(bob.id)];
    const event = {
      ...{ specversion: '1.0', id, type, source: 'relay', subject, time },
      ...{ datacontenttype: 'application/json', dataversion: 2, data },
    };
    await running.product.append(type, { key: subject, value: JSON.stringify(event) });
    await eventuallyInProduct('the event in the journal', async () =>
      (await consumption()).some((row) => row.id === id),
    );
  }

  async function shoot(name: string, address: string, shows: string): Promise<void> {
    if (!SHOTS) return;
    mkdirSync(SHOTS, { recursive: true });
    for (const look of LOOKS) {
      const tab = await running.desk.tab({ person: running.product.root, look });
      await tab.visit(address, shows);
      const file = `${name}.${look.width}.${look.mode}.${look.language}.png`;
      await tab.page.screenshot({ path: path.join(SHOTS, file), fullPage: true });
      await tab.close();
    }
  }

  /** In print, all rows and the total are one table of the sheet's width. */
  async function onPaper(rows: number): Promise<void> {
    const { page } = root;
    await page.evaluate(() => {
      window.print = () => undefined;
    });
    await page.keyboard.press('Control+P');
    const table = page.locator('.print-only table');
    await table.waitFor({ state: 'attached' });
    const before = page.viewportSize();
    await page.setViewportSize({ width: SHEET_PX, height: 700 });
    await page.emulateMedia({ media: 'print' });
    expect(await table.locator('tbody tr:visible').count()).toBe(rows + 1);
    expect(await table.locator('thead').evaluate((head) => getComputedStyle(head).display)).toBe('table-header-group');
    expect(await page.locator('[data-row]:visible').count()).toBe(0);
    await page.emulateMedia({ media: null });
    if (SHOTS) await page.pdf({ path: path.join(SHOTS, 'statement.pdf'), preferCSSPageSize: true });
    if (before) await page.setViewportSize(before);
  }

  async function download(tab: Tab, button: string): Promise<string> {
    const [file] = await Promise.all([tab.page.waitForEvent('download'), tab.button(button).first().click()]);
    return readFileSync(await file.path(), 'utf8');
  }

  it('begins with the cost prices, which two administrators enter without overwriting each other', async () => {
    const open = async (tab: Tab) => {
      await tab.visit('/channel/edit/1', '[role="dialog"] input');
      await tab.page.locator('summary').filter({ hasText: '成本价' }).click();
      await tab.button('修改成本价').click();
      return tab.page.getByRole('dialog', { name: '修改成本价' });
    };
    const [first, second] = [await open(root), await open(ann)];
    const type = async (dialog: typeof first, text: string) => {
      await dialog.getByLabel('成本价', { exact: true }).fill(text);
      await dialog.getByRole('button', { name: '提交' }).click();
    };
    await type(first, '{"*": {"input": 0.04, "output": 0.08}}');
    await first.waitFor({ state: 'hidden' });

    const mine = `{"${MODEL}": {"input": 0.02, "output": 0.04}}`;
    await type(second, mine);
    await second.getByText('该渠道的成本价已被他人修改，请核对后再保存').waitFor();
    await second.getByRole('region', { name: '已保存的成本价' }).getByText('0.08').waitFor();
    expect(await second.getByLabel('成本价', { exact: true }).inputValue()).toBe(mine);
    if (SHOTS) await ann.page.screenshot({ path: path.join(SHOTS, 'cost-conflict.png') });
    await second.getByRole('button', { name: '替换并保存' }).click();
    await second.waitFor({ state: 'hidden' });
    const { current } = await read<{ current: { model: string }[] }>('/api/cost?channel_id=1');
    expect(current.map(({ model }) => model)).toEqual([MODEL]);
  });

  it('has a journal that is filtered and exported', async () => {
    const { product } = running;
    const key = await product.token(bob, { name: 'caller' });
    // The second reply has no usage, so its tokens are estimated.
    for (const text of ['[[tokens=400]] one', '[[tokens=400 usage=absent]] two'])
      expect(await ask(product.url, key, MODEL, text)).toBe(200);
    await eventuallyInProduct('both requests in the journal', async () => (await consumption()).length === 2);
    await arrive(700);

    await root.visit('/journal', '[data-row]');
    await root.page.getByLabel('类型', { exact: true }).selectOption('consumption');
    await root.page.waitForURL(/code=consumption/);
    await root.settled();
    await root.page.getByLabel('用户 ID', { exact: true }).fill(String(bob.id));
    await root.button('查询').click();
    await root.page.waitForURL(/code=consumption.*user_id=|user_id=.*code=consumption/);
    await root.settled();
    expect(await root.page.locator('[data-row]').count()).toBe(3);
    const csv = await download(root, '导出 CSV');
    expect(new Set(columnOf(csv, 'code'))).toEqual(new Set(['consumption']));
    expect(sum(columnOf(csv, 'amount').map(Number))).toBe(sum((await consumption()).map(({ amount }) => amount)));
    await shoot('journal', '/journal', '[data-row]');
  });

  it('has a statement that adds up to the journal, with cost and margin', async () => {
    const span = `start=${past}&end=${today}`;
    const { totals, items, opening, closing } = await read<Statement>(`/api/statement?${span}&by=model`);
    const booked = await consumption();
    expect([totals.requests, totals.consumed]).toEqual([3, sum(booked.map(({ amount }) => amount))]);
    expect(sum(items.map(({ consumed }) => consumed))).toBe(totals.consumed);
    expect(closing - opening).toBe(totals.net);
    expect(totals.cost).toBeGreaterThan(0);
    expect(totals.margin).toBeLessThan(totals.consumed);

    const whole = await read<Statement>(`/api/statement?${span}&by=model&period=span`);
    const sold = { period: past, key: MODEL, consumed: totals.consumed, cost: totals.cost };
    expect(whole.items.filter(({ requests }) => requests > 0)).toMatchObject([sold]);

    await root.visit(`/statement?${span}&by=model`, '[data-row]');
    await root.page.getByRole('figure', { name: '各期间的消费与收入' }).waitFor();
    await root.page.getByRole('figure', { name: '消费与成本' }).waitFor();
    await root.page.getByText(/^毛利率 -?\d/).waitFor();
    await root.row(today).filter({ hasText: MODEL }).waitFor();
    const csv = await download(root, '导出 CSV');
    expect(sum(columnOf(csv, 'consumed').map(Number))).toBe(totals.consumed);
    expect(sum(columnOf(csv, 'net').map(Number))).toBe(totals.net);
    // The cost of the request before the first stated cost is unknown.
    expect(
      columnOf(csv, 'cost')
        .filter((cost) => cost !== 'unknown')
        .map(Number),
    ).toContain(totals.cost);
    await shoot('statement', `/statement?${span}&by=model`, 'figure:has-text("gpt-4o-mini")');

    await root.visit(`/statement?${span}&by=model`, '[data-row]');
    await onPaper(items.length);
  });

  it('is closed permanently, and late postings are marked in the next period', async () => {
    const days = async () => (await read<Statement>(`/api/statement?start=${past}&end=${today}`)).items;
    const of = async (day: string) => (await days()).find(({ period }) => period === day);
    const before = await of(past);
    expect(before).toMatchObject({ requests: 1, consumed: 700, late: 0 });
    await root.visit('/statement');
    await root.button('结账').click();
    const dialog = root.page.getByRole('dialog', { name: '结账' });
    await dialog.getByLabel('结账至（含当日，UTC）', { exact: true }).fill(yesterday);
    await dialog.getByLabel('再次输入日期', { exact: true }).fill(today);
    await dialog.getByRole('button', { name: '结账' }).click();
    await dialog.getByText('两次输入的日期不一致').waitFor();
    await dialog.getByLabel('再次输入日期', { exact: true }).fill(yesterday);
    await dialog.getByRole('button', { name: '结账' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await root.row(`最初 – ${yesterday}`).waitFor();

    const open = await of(today);
    await arrive(900);
    expect(await of(past)).toEqual(before);
    expect(await of(today)).toMatchObject({ late: 1, consumed: (open?.consumed ?? 0) + 900 });
    await root.visit(`/statement?start=${past}&end=${today}`, '[data-row]');
    await root.row(today).filter({ hasText: '迟到 1 笔' }).waitFor();
    await root.row(`最初 – ${yesterday}`).getByRole('button', { name: '核对' }).click();
    await root.page.getByText('与结账时一致', { exact: true }).waitFor();
    await shoot('statement-late', `/statement?start=${past}&end=${today}`, 'figure');
  });

  it('matches the invoice of the provider, and shows the requests behind a difference', async () => {
    await root.visit('/invoice', 'main');
    await root.button('导入发票').first().click();
    const dialog = root.page.getByRole('dialog', { name: '导入发票' });
    await dialog.getByLabel('名称', { exact: true }).fill('November');
    await dialog.getByLabel('渠道 ID（用逗号分隔）').fill('1');
    const row = `${today}T00:00:00Z,${MODEL},1,2`;
    const pick = async (...lines: string[]) => {
      const buffer = Buffer.from(['start_time_iso,model,input_tokens,output_tokens', ...lines, ''].join('\n'));
      await dialog.locator('input[type="file"]').setInputFiles({ name: 'usage.csv', mimeType: 'text/csv', buffer });
      await dialog.getByRole('button', { name: '导入发票' }).click();
    };
    await pick(row, `${today}T00:00:00Z,${MODEL}`);
    await dialog.getByText('发票文件第 3 行无法读取').waitFor();
    await pick(row);
    await root.page.getByText('不一致', { exact: true }).waitFor();
    const address = new URL(root.page.url()).pathname;
    await shoot('invoice', address, 'table');
    expect(columnOf(await download(root, '导出 CSV'), 'state')).toEqual(['differs']);

    await root.button('查看相关请求').click();
    const doubts = root.page.getByRole('dialog', { name: new RegExp(MODEL) });
    await doubts.getByText('本站估算').waitFor();
    if (SHOTS) await root.page.screenshot({ path: path.join(SHOTS, 'invoice-requests.png') });
    await doubts.getByRole('link').first().click();
    await root.page.locator('[data-link="log"]').waitFor();
    for (const fault of ['不一致', '缺失']) expect(await root.page.getByText(fault, { exact: true }).count()).toBe(0);
  });

  it('has an adjustment above the limit that needs a second administrator', async () => {
    const { page } = ann;
    await ann.visit(`/user/edit/${bob.id}`, '[role="dialog"] input');
    const drawer = page.getByRole('dialog', { name: /bob/ });
    await drawer.getByLabel('需要添加的额度（支持负数）', { exact: true }).fill('5000000');
    await drawer.getByLabel('调整原因', { exact: true }).fill('campaign');
    await drawer.getByRole('button', { name: '提交' }).click();
    await drawer.getByText(/已提交审批申请 #1/).waitFor();
    await ann.visit('/approval', '[data-row]');
    await ann.row('campaign').getByRole('button', { name: '撤回' }).waitFor();
    expect(await ann.button('批准').count()).toBe(0);
    await shoot('approval', '/approval', '[data-row]');

    const balance = async () => (await read<{ quota: number }>(`/api/user/${bob.id}`)).quota;
    const before = await balance();
    await root.visit('/approval', '[data-row]');
    await root.page.getByRole('link', { name: /审批\s*1/ }).waitFor();
    await root.row('campaign').getByRole('button', { name: '批准', exact: true }).click();
    await root.page.getByRole('alertdialog').getByRole('button', { name: '批准' }).click();
    await root.row('campaign').getByText('已批准', { exact: true }).waitFor();
    expect(await balance()).toBe(before + 5_000_000);
    await eventuallyInProduct('what was done in the audit log', async () => {
      const { items } = await read<{ items: { action: string }[] }>('/api/audit?page_size=50');
      const actions = new Set(items.map(({ action }) => action));
      return ['approval-request', 'approval-approve', 'period-close'].every((action) => actions.has(action));
    });
  });

  it('is shown to users as far as it concerns them', async () => {
    const own = await running.desk.tab({ person: bob });
    await own.visit('/statement', '[data-row]');
    await own.page.getByRole('heading', { name: '我的对账单' }).waitFor();
    for (const hidden of ['毛利', '成本', '结账']) expect(await own.page.getByText(hidden).count()).toBe(0);
    const faults = [...root.faults, ...ann.faults, ...own.faults];
    // The browser reports every refused call as an error; these two statuses are intended.
    expect(faults.filter((fault) => !/status of (400|409)/.test(fault))).toEqual([]);
    await own.close();
  });
});
