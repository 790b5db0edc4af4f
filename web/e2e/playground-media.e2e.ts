import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import { narrowEn, wideEn, wideZh } from './support/desk.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import { axeFaults, brokenRules, sidewaysScroll } from './support/rules.js';
import type { Tab } from './support/tab.js';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('the playground, with models of every kind', () => {
  let running: RunningSite;
  let person: Person;
  let tab: Tab;

  beforeAll(async () => {
    running = await runSite();
    const { product, upstream, desk } = running;
    const models = 'gpt-4o-mini,dall-e-3,tts-1,whisper-1';
    await product.channel({ name: 'all', base_url: upstream.url, models });
    person = await product.user('bob', 5_000_000);
    tab = await desk.tab({ person, look: wideZh });
    await tab.visit('/playground');
  });
  afterAll(() => running?.close());

  const choose = async (at: Tab, label: string, model: string): Promise<void> => {
    await at.page.getByRole('combobox', { name: label }).last().click();
    await at.page.getByRole('option', { name: model, exact: true }).click();
  };
  const say = async (at: Tab, hint: string, text: string): Promise<void> => {
    await at.page.getByPlaceholder(hint).fill(text);
    await at.page.keyboard.press('Enter');
  };

  it('sends an image with a message', async () => {
    const { page } = tab;
    await choose(tab, '模型', 'gpt-4o-mini');
    await page.locator('input[type=file]').setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: PICTURE });
    await page.getByRole('button', { name: '移除 cat.png' }).waitFor();
    await say(tab, '输入消息，Enter 发送，Shift+Enter 换行', 'what is it? [[tokens=3]]');
    await page.getByText('w1 w2 w3', { exact: true }).waitFor();
    const sent = running.upstream.journal().at(-1)?.body?.messages as { content: unknown }[];
    expect(sent.at(-1)?.content).toHaveLength(2);
  });

  it('draws an image, and shows its cost', async () => {
    const { page } = tab;
    await choose(tab, '模型', 'dall-e-3');
    await say(tab, '描述想要的图片', 'a gate');
    const picture = page.getByRole('img', { name: '图片 1' });
    await picture.waitFor();
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
    await page.getByText('$0.040000').waitFor();
    expect(await brokenRules(page, 'zh')).toEqual([]);
  });

  it('makes speech, and transcribes it', async () => {
    const { page } = tab;
    await choose(tab, '模型', 'tts-1');
    await say(tab, '输入要朗读的文字', 'hello');
    await page.locator('audio').waitFor();
    expect(await page.locator('audio').getAttribute('src')).toMatch(/^blob:/);
    await choose(tab, '模型', 'whisper-1');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.mp3', mimeType: 'audio/mpeg', buffer: Buffer.alloc(9000, 1) });
    await page.getByRole('button', { name: '移除 a.mp3' }).waitFor();
    await tab.button('发送').click();
    await page.getByText('w1 w2 w3 w4 w5 w6 w7 w8 w9 w10', { exact: true }).waitFor();
  });

  it.each([
    ['600', narrowEn],
    ['1440 in the dark', wideEn],
  ])('fits a window of %s pixels', async (_, look) => {
    const other = await running.desk.tab({ person, look });
    await other.visit('/playground');
    if (look.width < 960) await other.page.getByRole('button', { name: /^Parameters/ }).click();
    await choose(other, 'Model', 'dall-e-3');
    if (look.width < 960) await other.page.keyboard.press('Escape');
    await say(other, 'Describe the picture you want', 'a gate');
    await other.page.getByRole('img', { name: 'Picture 1' }).waitFor();
    // Names of groups may be in any language, because the operator writes them.
    expect([await axeFaults(other.page), await sidewaysScroll(other.page)]).toEqual([[], 0]);
    await other.close();
  });
});
