import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { REACHABLE_LOGS } from '@tollgate/contracts/api/log-limits';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call, Replies } from '../../testing/fake-fetch.js';
import { json, success } from '../../testing/fake-fetch.js';
import { admin, person, renderPage } from '../../testing/render-page.js';
import { MOST_EXPORTED } from './log-filter.js';

import { texts as zh } from './zh.js';

const NOW = Math.floor(Date.now() / 1000);
const row = (id: number, change: Record<string, unknown> = {}) => ({
  ...{ id, user_id: 3, created_at: NOW - 60, type: 2, content: '', username: 'bob', token_name: 'ci' },
  ...{ model_name: 'gpt-4o', quota: 1, prompt_tokens: 1000, completion_tokens: 200, use_time: 2, is_stream: true },
  ...{ channel: 7, channel_name: 'main', token_id: 1, group: 'default', other: '{"request_id":"req-1","frt":800}' },
  ...change,
});

/** A paged reply with `total` rows; the newest has the highest id. `counted`: what the server says of the total with a full page. */
const pagesOf =
  (total: number, change?: Record<string, unknown>, counted: Record<string, unknown> = {}) =>
  (call: Call) => {
    const [page, size] = [Number(call.query.get('p')), Number(call.query.get('page_size'))];
    const first = (page - 1) * size;
    const items = Array.from({ length: Math.max(0, Math.min(size, total - first)) }, (_, at) =>
      row(total - first - at, change),
    );
    return success({ items, total, page, page_size: size, ...(items.length === size && counted) });
  };
const stat = success({ quota: 1, rpm: 1, tpm: 1 });
const all = (list: unknown): Replies => ({
  ...{ 'GET /api/log/': list, 'GET /api/log/stat': stat, 'GET /api/group/': success(['default']) },
});
const own = (list: unknown): Replies => ({ 'GET /api/log/self/': list, 'GET /api/log/self/stat': stat });

/** This timeout only ends a hanging test; on a busy machine thousands of rows in fifty replies take their time. */
const PATIENCE_MS = 180_000;
jest.setTimeout(PATIENCE_MS);

const summary = (counts: Record<'done' | 'failed' | 'skipped', number>): string =>
  Object.entries(counts).reduce<string>(
    (text, [name, count]) => text.replace(`{{${name}}}`, String(count)),
    shell.job.summary,
  );

describe('export of the usage log', () => {
  const files: Blob[] = [];
  const { createObjectURL, revokeObjectURL } = URL;
  beforeEach(() => {
    files.length = 0;
    URL.createObjectURL = (file) => `blob:${files.push(file as Blob)}`;
    URL.revokeObjectURL = () => undefined;
  });
  afterEach(() => {
    Object.assign(URL, { createObjectURL, revokeObjectURL });
  });

  const start = async () => fireEvent.click(await screen.findByRole('button', { name: zh.export.title }));
  async function linesOf(): Promise<string[]> {
    await waitFor(() => expect(files).toHaveLength(1), { timeout: PATIENCE_MS });
    const bytes = new Uint8Array((await files[0]?.arrayBuffer()) ?? new ArrayBuffer());
    // The UTF-8 byte order mark, by which spreadsheets detect the encoding.
    expect([...bytes.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    return new TextDecoder().decode(bytes).trimEnd().split('\r\n');
  }

  it('contains every row that matches the filters, in exact units and dollars', async () => {
    const { network } = await renderPage('/log?model_name=gpt-4o', { user: admin, replies: all(pagesOf(250)) });
    await start();
    const [head = '', first = '', ...rest] = await linesOf();
    expect(rest).toHaveLength(249);
    const cells = Object.fromEntries(head.split(',').map((name, at) => [name, first.split(',')[at]]));
    expect(cells).toMatchObject({
      ...{ id: '250', channel_id: '7', channel_name: 'main', username: 'bob', quota_units: '1', cost_usd: '0.000002' },
      ...{ first_token_seconds: '0.8', request_id: 'req-1' },
    });
    expect(cells.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
    const asked = network.of('GET', '/api/log/').filter(({ query }) => query.get('page_size') === '100');
    expect(asked.map(({ query }) => query.get('p'))).toEqual(['1', '2', '3']);
    for (const { query } of asked) {
      expect(query.get('model_name')).toBe('gpt-4o');
      // Without an end time rows that arrive during the export would shift the pages.
      expect(Number(query.get('end_timestamp'))).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
    }
  });

  it('contains the rows of the table whose time is after that of the browser', async () => {
    const ahead = NOW + 600;
    const { network } = await renderPage('/log', { user: admin, replies: all(pagesOf(1, { created_at: ahead })) });
    await screen.findByRole('table', { name: zh.title });
    await start();
    await linesOf();
    const asked = network.of('GET', '/api/log/').find(({ query }) => query.get('page_size') === '100');
    expect(asked?.query.get('end_timestamp')).toBe(String(ahead));
  });

  it('is written once, however often it is asked for meanwhile', async () => {
    const { network } = await renderPage('/log', { user: admin, replies: all(pagesOf(1)) });
    const button = await screen.findByRole('button', { name: zh.export.title });
    act(() => {
      fireEvent.click(button);
      fireEvent.click(button);
    });
    await linesOf();
    await act(async () => undefined);
    expect(network.of('GET', '/api/log/').filter(({ query }) => query.get('page_size') === '100')).toHaveLength(1);
    expect(files).toHaveLength(1);
  });

  it('contains only the columns that users see, and no text that runs as a formula', async () => {
    await renderPage('/log', { user: person, replies: own(pagesOf(1, { token_name: '=HYPERLINK("x")' })) });
    await start();
    const [head = '', line] = await linesOf();
    expect(head).not.toMatch(/channel|user/);
    expect(line).toContain(`"'=HYPERLINK(""x"")"`);
  });

  it('stops at the greatest number of rows and says so', async () => {
    const { network } = await renderPage('/log', { user: admin, replies: all(pagesOf(MOST_EXPORTED + 1)) });
    await start();
    expect((await linesOf()).length).toBe(MOST_EXPORTED + 1);
    const [, rest = ''] = zh.export.cut.split('{{total}}');
    await screen.findByText((text) => text.includes(`${MOST_EXPORTED + 1}${rest}`));
    const asked = network.of('GET', '/api/log/').filter(({ query }) => query.get('page_size') === '100');
    expect(asked).toHaveLength(MOST_EXPORTED / 100);
  });

  it.each([
    ['an estimate', 20_000, zh.export.cut_about],
    ['that of a cut count', REACHABLE_LOGS, zh.export.cut_atLeast],
  ])('says of a total that it is %s', async (_, total, text) => {
    const replies = all(pagesOf(total, {}, { total_is_estimate: true }));
    await renderPage('/log', { user: admin, replies });
    await start();
    await linesOf();
    const said = text.replace('{{count}}', String(MOST_EXPORTED)).replace('{{total}}', String(total));
    expect(await screen.findByText(said)).toBeTruthy();
  });

  it.each([
    ['small', 320],
    ['large', MOST_EXPORTED + 1],
  ])('contains every row although the estimate of the total is too %s', async (_, total) => {
    const pages = pagesOf(450, {}, { total, total_is_estimate: true });
    const { network } = await renderPage('/log', { user: admin, replies: all(pages) });
    await start();
    expect((await linesOf()).length).toBe(1 + 450);
    expect(await screen.findByText(zh.export.done.replace('{{count}}', '450'))).toBeTruthy();
    expect(network.of('GET', '/api/log/').filter(({ query }) => query.get('page_size') === '100')).toHaveLength(5);
  });

  it('writes no file when a page fails to load', async () => {
    const pages = pagesOf(300);
    const failing = (call: Call) => (call.query.get('p') === '2' ? json({ message: 'down' }, 500) : pages(call));
    await renderPage('/log', { user: admin, replies: all(failing) });
    await start();
    await screen.findByText(summary({ done: 1, failed: 1, skipped: 1 }));
    expect(files).toEqual([]);
  });

  it('writes no file when it is cancelled', async () => {
    const pages = pagesOf(300);
    let release: (() => void) | undefined;
    const slow = async (call: Call) => {
      if (call.query.get('p') === '2') await new Promise<void>((resolve) => (release = resolve));
      return pages(call);
    };
    const { network } = await renderPage('/log', { user: admin, replies: all(slow) });
    await start();
    const cancel = await screen.findByRole('button', { name: shell.action.cancel });
    await waitFor(() => expect(release).toBeDefined());
    fireEvent.click(cancel);
    release?.();
    await screen.findByText(summary({ done: 2, failed: 0, skipped: 1 }));
    expect(files).toEqual([]);
    expect(network.of('GET', '/api/log/').some(({ query }) => query.get('p') === '3')).toBe(false);
  });
});
