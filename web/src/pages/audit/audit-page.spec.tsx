import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Call } from '../../testing/fake-fetch.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { selectJobs } from '../../app/slices/jobs.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as zh } from './zh.js';

const entry = {
  ...{ id: 3, event_id: 'e3', created_at: 1_760_000_000, actor_id: 1, actor_name: 'root', user_id: 0, text: '' },
  action: 'option-update',
  subject: 'option:RetryTimes',
  before: { value: '0', revision: 0 },
  after: { value: '30', revision: 12 },
};
const pageOf = (...items: unknown[]) => success({ items, total: items.length, page: 1, page_size: 10 });

async function takeBack(reply: unknown) {
  const page = await renderPage('/audit', {
    user: admin,
    replies: { 'GET /api/audit': pageOf(entry), 'PUT /api/option/': reply },
  });
  const row = (await screen.findByText(entry.subject)).closest('tr')!;
  const button = within(row).queryByRole('button', { name: zh.undo.action });
  if (button) fireEvent.click(button);
  else {
    fireEvent.click(within(row).getByRole('button', { name: shell.action.more }));
    fireEvent.click(await screen.findByRole('menuitem', { name: new RegExp(zh.undo.action) }));
  }
  const dialog = within(await screen.findByRole('alertdialog'));
  dialog.getByText(/30/);
  fireEvent.click(dialog.getByRole('button', { name: zh.undo.action }));
  return { ...page, dialog };
}

describe('the audit page', () => {
  it('restores the former value of an option, with the revision of the change', async () => {
    const { network } = await takeBack(success());
    await screen.findByText(shell.done.action);
    expect(network.of('PUT', '/api/option/').map(({ body }) => body)).toEqual([
      { key: 'RetryTimes', value: '0', revision: 12 },
    ]);
  });

  it('reports that somebody else changed the option in the meantime', async () => {
    const { dialog } = await takeBack(refusal('changed meanwhile', 'option-changed-meanwhile', { kind: 'conflict' }));
    expect((await dialog.findByRole('alert')).textContent).toContain('changed meanwhile');
  });

  it.each<[string, 'price' | 'channel', 'publish' | 'tagged' | 'rebuilt' | 'test']>([
    ['price-publish', 'price', 'publish'],
    ['channels-tagged', 'channel', 'tagged'],
    ['abilities-rebuilt', 'channel', 'rebuilt'],
    ['channel-test', 'channel', 'test'],
  ])('says %s in words', async (action, kind, verb) => {
    const stored = { ...entry, actor_id: null, action, subject: 'subject:12' };
    await renderPage('/audit', { user: admin, replies: { 'GET /api/audit': pageOf(stored) } });
    const row = (await screen.findByText(stored.subject)).closest('tr')!;
    expect(row.textContent).toContain(`${zh.kind[kind]} ${zh.verb[verb]}`);
    expect(row.textContent).not.toContain(action);
  });

  it('requests the changes that match the filters in the address', async () => {
    const { network } = await renderPage('/audit?subject=channel%3A7&actor_id=2', {
      user: admin,
      replies: { 'GET /api/audit': pageOf() },
    });
    await waitFor(() => expect(network.of('GET', '/api/audit')).not.toHaveLength(0));
    const [asked] = network.of('GET', '/api/audit');
    expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({ subject: 'channel:7', actor_id: '2', p: '1' });
  });

  it('shows why calls were refused', async () => {
    const refused = {
      ...{ minute: 1_760_000_040, reason: 'model_not_allowed', status: 403, message: 'not this one', model: 'gpt-4o' },
      ...{ token_id: 9, token_name: 'mine', user_id: 3, username: 'bob', count: 12, request_ids: ['r1'] },
    };
    const { network } = await renderPage('/audit?tab=refused&request_id=r9', {
      user: admin,
      replies: { 'GET /api/log/refusal': pageOf(refused) },
    });
    const row = within((await screen.findByText(/model_not_allowed/)).closest('tr')!);
    for (const text of ['mine #9', 'not this one', '12']) row.getByText(text);
    expect(network.of('GET', '/api/log/refusal')[0]?.query.get('request_id')).toBe('r9');
    fireEvent.click(row.getByRole('button', { name: shell.action.details }));
    expect((await screen.findByRole('dialog')).textContent).toContain('r1');
  });
});

describe('a change of a map', () => {
  const ratios = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`model-${at}`, 1]));
  const mapped = (after: unknown) => ({
    ...entry,
    subject: 'option:ModelRatio',
    before: { value: JSON.stringify(ratios, undefined, 2), revision: 0 },
    after: { value: JSON.stringify(after), revision: 12 },
  });
  const open = async (after: unknown) => {
    await renderPage('/audit', { user: admin, replies: { 'GET /api/audit': pageOf(mapped(after)) } });
    return (await screen.findByText('option:ModelRatio')).closest('tr')!;
  };
  const { 'model-59': _, ...less }: Record<string, number> = { ...ratios, 'model-7': 1.5, extra: 2 };

  it('is shown by the entries that differ, in the list and in the dialog', async () => {
    const row = await open(less);
    within(row).getByText('value › model-7: 1 → 1.5; value › extra: — → 2; value › model-59: 1 → —');
    fireEvent.click(within(row).getByRole('button', { name: shell.action.details }));
    const dialog = within(await screen.findByRole('dialog'));
    const lines = dialog.getAllByRole('row').map((line) => [...line.children].map(({ textContent }) => textContent));
    expect(lines.slice(1)).toEqual([
      [`model-7~ ${shell.diff.kind.changed} · value`, '1', '1.5 (+50%)'],
      [`extra+ ${shell.diff.kind.added} · value`, '—', '2'],
      [`model-59\u2212 ${shell.diff.kind.removed} · value`, '1', '—'],
    ]);
  });

  const question = async (after: unknown) => {
    const row = await open(after);
    fireEvent.click(within(row).getByRole('button', { name: zh.undo.action }));
    const dialog = within(await screen.findByRole('alertdialog'));
    return { dialog, said: dialog.getAllByText(/^value › /).map(({ textContent }) => textContent) };
  };
  const filled = (text: string, values: Record<string, string>) =>
    Object.entries(values).reduce((said, [name, value]) => said.replace(`{{${name}}}`, value), text);

  it('is undone after a question that names the entries', async () => {
    const { said } = await question(less);
    expect(said).toEqual([
      filled(zh.undo.field, { name: 'value › model-7', now: '1.5', then: '1' }),
      filled(zh.undo.remove, { name: 'value › extra', now: '2' }),
      filled(zh.undo.restore, { name: 'value › model-59', then: '1' }),
    ]);
  });

  it('is undone after a question that names ten entries and says how many more there are', async () => {
    const { dialog, said } = await question(Object.fromEntries(Object.keys(ratios).map((name) => [name, 2])));
    expect(said).toHaveLength(10);
    expect(dialog.getByText(zh.undo.more.replace('{{count}}', '50'))).toBeTruthy();
  });
});

describe('the export of the audit page', () => {
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

  /** A paged reply with `total` rows, newest first; the newest has the highest number. */
  const pagesOf = (total: number, rowOf: (number: number) => unknown) => (call: Call) => {
    const [page, size] = [Number(call.query.get('p')), Number(call.query.get('page_size'))];
    const first = (page - 1) * size;
    const items = Array.from({ length: Math.max(0, Math.min(size, total - first)) }, (_, at) =>
      rowOf(total - first - at),
    );
    return success({ items, total, page, page_size: size });
  };
  const start = async () => fireEvent.click(await screen.findByRole('button', { name: zh.export.action }));
  async function linesOf(): Promise<string[]> {
    await waitFor(() => expect(files).toHaveLength(1));
    return new TextDecoder()
      .decode(await files[0]?.arrayBuffer())
      .trimEnd()
      .split('\r\n');
  }

  it('contains every change that matches the filters, with the values before and after', async () => {
    const rowOf = (id: number) => ({ ...entry, id, event_id: `e${id}`, actor_id: id % 2, subject: `option:${id}` });
    const { network } = await renderPage('/audit?subject=option', {
      user: admin,
      replies: { 'GET /api/audit': pagesOf(230, rowOf) },
    });
    await start();
    const [head, first, second, ...rest] = await linesOf();
    expect(head).toBe(
      [zh.column.time, zh.column.actor, zh.column.action, zh.column.subject, zh.column.change].join(','),
    );
    expect(first).toMatch(new RegExp(`,${zh.system},option-update,option:230,value: 0 → 30$`));
    expect(second).toContain(',root #1,option-update,option:229,');
    expect(rest).toHaveLength(228);
    const asked = network.of('GET', '/api/audit').filter(({ query }) => query.get('page_size') === '100');
    expect(asked.map(({ query }) => [query.get('p'), query.get('subject')])).toEqual([
      ['1', 'option'],
      ['2', 'option'],
      ['3', 'option'],
    ]);
  });

  it('contains the reasons of refused calls, and no text that a spreadsheet would run as a formula', async () => {
    const rowOf = (number: number) => ({
      ...{ minute: 1_760_000_040, reason: 'invalid_token', status: 401, message: '=cmd', model: '' },
      ...{ token_id: 0, token_name: '', user_id: 0, username: '', count: number, request_ids: [] },
    });
    await renderPage('/audit?tab=refused', { user: admin, replies: { 'GET /api/log/refusal': pagesOf(1, rowOf) } });
    await start();
    const [, line] = await linesOf();
    expect(line).toMatch(/,invalid_token,1,—,—,,"?'=cmd"?$/);
  });

  it('downloads no file when one of its pages fails to load', async () => {
    let asked = 0;
    const pages = pagesOf(230, (id) => ({ ...entry, id, event_id: `e${id}` }));
    const failing = (call: Call) => ((asked += 1) > 2 ? refusal('broken', 'internal') : pages(call));
    await renderPage('/audit', { user: admin, replies: { 'GET /api/audit': failing } });
    await start();
    expect(await screen.findAllByText('broken')).not.toHaveLength(0);
    expect(files).toEqual([]);
  });

  it('is written once, however often it is asked for meanwhile', async () => {
    const { store } = await renderPage('/audit', {
      user: admin,
      replies: { 'GET /api/audit': pagesOf(1, () => entry) },
    });
    await screen.findByText(entry.subject);
    const button = screen.getByRole('button', { name: zh.export.action });
    fireEvent.click(button);
    fireEvent.click(button);
    await linesOf();
    await waitFor(() => expect(selectJobs(store.getState()).every(({ state }) => state === 'done')).toBe(true));
    expect(selectJobs(store.getState())).toHaveLength(1);
    expect(files).toHaveLength(1);
  });
});

describe('the filters of the audit page', () => {
  it.each([
    ['/audit', 'GET /api/audit', zh.filter.actor],
    ['/audit?tab=refused', 'GET /api/log/refusal', zh.filter.token],
    ['/audit?tab=refused', 'GET /api/log/refusal', zh.filter.user],
  ])('report for %s that %s requires a number (%s)', async (address, call, label) => {
    await renderPage(address, { user: admin, replies: { [call]: pageOf() } });
    const field = await screen.findByLabelText(label);
    fireEvent.change(field, { target: { value: 'ann' } });
    fireEvent.keyDown(field, { key: 'Enter' });
    expect(await screen.findByText(shell.form.digits)).toBeTruthy();
  });

  it('accept the largest possible id', async () => {
    const { network } = await renderPage('/audit', { user: admin, replies: { 'GET /api/audit': pageOf() } });
    const field = await screen.findByLabelText(zh.filter.actor);
    fireEvent.change(field, { target: { value: '2147483647' } });
    fireEvent.blur(field);
    const asked = () => network.of('GET', '/api/audit').map(({ query }) => query.get('actor_id'));
    await waitFor(() => expect(asked()).toContain('2147483647'));
  });

  it.each([
    ['/audit', 'GET /api/audit'],
    ['/audit?tab=refused', 'GET /api/log/refusal'],
  ])('report for %s that a start after the end finds nothing', async (address, call) => {
    const { network } = await renderPage(address, { user: admin, replies: { [call]: pageOf() } });
    const asked = () => network.of('GET', call.slice(4)).some(({ query }) => query.has('start_timestamp'));
    const type = async (label: string, value: string) => {
      const field = await screen.findByLabelText(label);
      fireEvent.change(field, { target: { value } });
      fireEvent.keyDown(field, { key: 'Enter' });
      fireEvent.blur(field);
    };
    await type(zh.filter.end, '2026-01-01 00:00:00');
    await type(zh.filter.start, '2026-01-02 00:00:00');
    expect(await screen.findAllByText(shell.time.order)).not.toEqual([]);
    expect(asked()).toBe(false);
  });
});
