import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shellEn } from '../../app/i18n/en.js';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call } from '../../testing/fake-fetch.js';
import { json, listed, refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { channel, channelReplies } from '../../testing/channel-replies.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

/** Opens the menu behind ⋯ of the page, and presses this entry. */
async function press(label: string, more: string) {
  const header = (await screen.findByRole('heading', { level: 1 })).closest('header') ?? document.body;
  fireEvent.click(within(header).getAllByRole('button', { name: more })[0] as HTMLElement);
  fireEvent.click(await screen.findByRole('menuitem', { name: label }));
}

const range = (from: number, to: number, status: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => channel(from + at, { status }));

describe('deleting the disabled channels', () => {
  it.each([
    ['zh', zh, shell, zh.all.deleteDisabled.body],
    ['en', en, shellEn, en.all.deleteDisabled.body_other],
  ] as const)('lists them, and deletes these and no others (%s)', async (language, own, app, body) => {
    const off = { 2: range(1, 102, 2), 3: range(201, 202, 3) };
    const { network } = await renderPage('/channel', {
      user: admin,
      language,
      replies: channelReplies([], {
        'GET /api/channel/search': ({ query }: Call) => {
          const rows = off[query.get('status') as '2' | '3'] ?? [];
          const first = Number(query.get('p')) * 100;
          return json(success(rows.slice(first, first + 100)), 200, { 'X-Total-Count': String(rows.length) });
        },
        // Two more were disabled after the page had counted them.
        'GET /api/channel/count': success({ all: 102, enabled: 0, disabled: 100, auto_disabled: 2 }),
        'POST /api/channel/batch': success(104),
      }),
    });
    await screen.findByRole('button', { name: `${own.count.disabled} 100` });
    await press(own.all.deleteDisabled.action, app.action.more);
    const dialog = within(await screen.findByRole('alertdialog'));
    expect(dialog.getByText(body.replace('{{count}}', '104'))).toBeTruthy();
    const names = range(1, 10, 2).map(({ name }) => name);
    const shown = dialog.getByText((text) => text.includes(names.join(app.table.separator)));
    expect(shown.textContent).toContain('94');
    fireEvent.change(dialog.getByRole('textbox'), { target: { value: '104' } });
    fireEvent.click(dialog.getByRole('button', { name: own.all.deleteDisabled.action }));
    await waitFor(() => expect(network.of('POST', '/api/channel/batch')).toHaveLength(1));
    expect(network.of('POST', '/api/channel/batch')[0]?.body).toEqual({
      ids: [...off[2], ...off[3]].map(({ id }) => id),
      only_disabled: true,
    });
    expect(network.of('DELETE', '/api/channel/disabled')).toEqual([]);
  });

  it('says so when they cannot be listed, or none is left', async () => {
    let refuse = true;
    await renderPage('/channel', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/search': ({ query }: Call) =>
          query.get('status') && refuse ? refusal('Not now', 'x') : listed(query.get('status') ? [] : [channel(1)]),
        'GET /api/channel/count': success({ all: 1, enabled: 0, disabled: 1, auto_disabled: 0 }),
      }),
    });
    await screen.findByRole('button', { name: `${zh.count.disabled} 1` });
    await press(zh.all.deleteDisabled.action, shell.action.more);
    expect(await screen.findByText('Not now')).toBeTruthy();
    refuse = false;
    await press(zh.all.deleteDisabled.action, shell.action.more);
    expect(await screen.findByText(zh.all.deleteDisabled.none)).toBeTruthy();
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });
});

describe('actions on the selected channels in the menu of the page', () => {
  it.each([
    ['zh', zh, shell, { action: zh.delete.action, affected: zh.tag.affected }],
    ['en', en, shellEn, { action: en.delete.action_other, affected: en.tag.affected_other }],
  ] as const)('are there before something is selected (%s)', async (language, own, app, { action, affected }) => {
    let rows = [channel(1), channel(2)];
    const { network } = await renderPage('/channel', {
      user: admin,
      language,
      replies: channelReplies([], {
        'GET /api/channel/search': () => listed(rows),
        'POST /api/channel/batch': () => ((rows = []), success(2)),
      }),
    });
    const table = await screen.findByRole('table', { name: own.title });
    await press(own.tag.set, app.action.more);
    expect(await screen.findByText(own.tag.choose)).toBeTruthy();
    await press(own.delete.selected, app.action.more);
    expect(await screen.findByText(own.delete.choose)).toBeTruthy();
    expect(screen.queryByRole('alertdialog')).toBeNull();

    fireEvent.click(within(table).getAllByRole('checkbox')[0] as HTMLElement);
    await press(own.tag.set, app.action.more);
    const tags = within(await screen.findByRole('dialog'));
    expect(tags.getByText(affected.replace('{{count}}', '2'))).toBeTruthy();
    fireEvent.click(tags.getByRole('button', { name: app.action.cancel }));
    await press(own.delete.selected, app.action.more);
    const question = within(await screen.findByRole('alertdialog'));
    fireEvent.click(question.getByRole('button', { name: action.replace('{{count}}', '2') }));
    await waitFor(() => expect(network.of('POST', '/api/channel/batch')[0]?.body).toEqual({ ids: [1, 2] }));
    await waitFor(() => expect(screen.queryByRole('toolbar')).toBeNull());
  });

  it('act on nothing that was selected in another view', async () => {
    await renderPage('/channel', { user: admin, replies: channelReplies([channel(1, { tag: 'a' })]) });
    const table = await screen.findByRole('table', { name: zh.title });
    fireEvent.click(within(table).getAllByRole('checkbox')[0] as HTMLElement);
    fireEvent.click(screen.getByRole('switch', { name: zh.tag.mode }));
    await screen.findByRole('table', { name: zh.tag.mode });
    await press(zh.delete.selected, shell.action.more);
    expect(await screen.findByText(zh.delete.choose)).toBeTruthy();
  });
});
