import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { success } from '../../../testing/fake-fetch.js';
import { renderPage, root } from '../../../testing/render-page.js';
import { texts as en } from '../en.js';
import { texts as zh } from '../zh.js';
import { texts as shell } from '../../../app/i18n/zh.js';

const replies = {
  'GET /api/option/': success([
    { key: 'ModelRatio', value: '{"a":1}', revision: 1 },
    { key: 'ModelPrice', value: '{}', revision: 1 },
    { key: 'CompletionRatio', value: '{}', revision: 1 },
  ]),
  'GET /api/channel/models_enabled': success([]),
};

describe('the raw tables of prices', () => {
  it('are hidden while another table is shown, and keep their DOM nodes, also when a link to an option shows them again', async () => {
    const { router } = await renderPage('/setting', { user: root, replies });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    const text = await area.findByRole('textbox', { name: zh.label.ModelRatio });
    fireEvent.click(area.getByRole('tab', { name: zh.ratio.tab.visual }));
    await area.findByLabelText(zh.ratio.search);
    // The element stays in the DOM: with ten thousand models a new layout takes a browser close to a second.
    expect(text.isConnected).toBe(true);
    expect(area.queryByRole('textbox', { name: zh.label.ModelRatio })).toBeNull();
    await act(() => router.navigate('/setting?key=ModelRatio'));
    expect(await area.findByRole('textbox', { name: zh.label.ModelRatio })).toBe(text);
    expect(area.queryByLabelText(zh.ratio.search)).toBeNull();
  });
});

describe('the dialog of one price', () => {
  it('refuses an output price without an input price, which would make the model free', async () => {
    await renderPage('/setting', { user: root, replies });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    const row = await area.findByRole('row', { name: /^a / });
    fireEvent.click(within(row).getByRole('button', { name: shell.action.edit }));
    const dialog = within(await screen.findByRole('dialog', { name: zh.ratio.edit }));
    fireEvent.click(dialog.getByRole('radio', { name: zh.ratio.mode.price }));
    fireEvent.change(dialog.getByLabelText(zh.ratio.field.input), { target: { value: '0' } });
    fireEvent.change(dialog.getByLabelText(zh.ratio.field.output), { target: { value: '10' } });
    expect(dialog.getByText(zh.ratio.freeInput)).toBeTruthy();
    fireEvent.click(dialog.getByRole('button', { name: shell.action.ok }));
    expect(screen.queryByRole('dialog', { name: zh.ratio.edit })).toBeTruthy();
  });

  it.each([
    [zh.ratio.mode.tokens, zh.ratio.mode.ratio, zh.ratio.field.ratio],
    [zh.ratio.mode.tokens, zh.ratio.mode.price, zh.ratio.field.input],
    [zh.ratio.mode.call, undefined, zh.ratio.field.price],
  ])('adds no model without a number, and says so (%s, %s)', async (mode, way, label) => {
    await renderPage('/setting', { user: root, replies });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    fireEvent.click(await area.findByRole('button', { name: zh.ratio.add }));
    const dialog = within(await screen.findByRole('dialog', { name: zh.ratio.add }));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.ok }));
    await waitFor(() => expect(document.activeElement).toBe(dialog.getByLabelText(zh.ratio.column.name)));
    fireEvent.change(dialog.getByLabelText(zh.ratio.column.name), { target: { value: 'new-one' } });
    fireEvent.click(dialog.getByRole('radio', { name: mode }));
    if (way) fireEvent.click(dialog.getByRole('radio', { name: way }));
    fireEvent.click(dialog.getByRole('button', { name: shell.action.ok }));
    const field = dialog.getByLabelText(label);
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(dialog.getByText(zh.ratio.number)).toBeTruthy();
    fireEvent.change(field, { target: { value: '3' } });
    fireEvent.click(dialog.getByRole('button', { name: shell.action.ok }));
    expect(await area.findByRole('textbox', { name: `new-one ${zh.ratio.column.ratio}` })).toBeTruthy();
  });

  it('reports an invalid price, stays open, and keeps the ratio until the price is valid', async () => {
    await renderPage('/setting', { user: root, replies });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    const open = async () => {
      const row = await area.findByRole('row', { name: /^a / });
      fireEvent.click(within(row).getByRole('button', { name: shell.action.edit }));
      return within(await screen.findByRole('dialog', { name: zh.ratio.edit }));
    };
    const dialog = await open();
    fireEvent.click(dialog.getByRole('radio', { name: zh.ratio.mode.price }));
    const input = dialog.getByLabelText(zh.ratio.field.input);
    const invalid = () => input.getAttribute('aria-invalid');
    expect(invalid()).not.toBe('true');
    for (const text of ['$5', '1e']) {
      fireEvent.change(input, { target: { value: text } });
      expect(invalid()).toBe('true');
      expect(dialog.getByText(zh.ratio.number)).toBeTruthy();
    }
    fireEvent.click(dialog.getByRole('button', { name: shell.action.ok }));
    expect(screen.queryByRole('dialog', { name: zh.ratio.edit })).toBeTruthy();
    fireEvent.click(dialog.getByRole('radio', { name: zh.ratio.mode.ratio }));
    expect(dialog.getByLabelText<HTMLInputElement>(zh.ratio.field.ratio).value).toBe('1');
    fireEvent.click(dialog.getByRole('radio', { name: zh.ratio.mode.price }));
    fireEvent.change(dialog.getByLabelText(zh.ratio.field.input), { target: { value: '5' } });
    fireEvent.click(dialog.getByRole('button', { name: shell.action.ok }));
    const cell = await area.findByRole<HTMLInputElement>('textbox', { name: `a ${zh.ratio.column.ratio}` });
    await waitFor(() => expect(cell.value).toBe('2.5'));
  });
});

describe('the table of prices', () => {
  it('says at a cell what is wrong with it, and focuses the first such cell when applying is refused', async () => {
    const { network } = await renderPage('/setting', { user: root, replies });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    const cell = await area.findByRole<HTMLInputElement>('textbox', { name: `a ${zh.ratio.column.ratio}` });
    fireEvent.change(cell, { target: { value: 'much' } });
    expect(await area.findByText(zh.ratio.number)).toBeTruthy();
    expect(document.getElementById(cell.getAttribute('aria-describedby') ?? '')?.textContent).toBe(zh.ratio.number);
    fireEvent.click(area.getByRole('button', { name: zh.ratio.apply }));
    await waitFor(() => expect(document.activeElement).toBe(cell));
    expect(network.of('PUT', '/api/option/')).toEqual([]);
    fireEvent.change(cell, { target: { value: '2' } });
    expect(area.queryByText(zh.ratio.number)).toBeNull();
  });
});

describe('a cell of the prices', () => {
  const open = async (ratios = '{"a":1,"b":2}', prices = '{}') => {
    const options = [
      { key: 'ModelRatio', value: ratios, revision: 1 },
      { key: 'ModelPrice', value: prices, revision: 1 },
      { key: 'CompletionRatio', value: '{"a":4}', revision: 1 },
    ];
    const { network } = await renderPage('/setting', {
      user: root,
      replies: { ...replies, 'GET /api/option/': success(options), 'PUT /api/option/': success() },
    });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    const cell = (field: 'price' | 'ratio' | 'completion', model = 'a') =>
      area.findByRole<HTMLInputElement>('textbox', { name: `${model} ${zh.ratio.column[field]}` });
    const type = async (field: 'price' | 'ratio', value: string) =>
      fireEvent.change(await cell(field), { target: { value } });
    const row = async () => [
      (await cell('price')).value,
      (await cell('ratio')).value,
      (await cell('completion')).value,
    ];
    const apply = () => fireEvent.click(area.getByRole('button', { name: zh.ratio.apply }));
    const staged = () => area.getAllByRole('status').map(({ textContent }) => textContent);
    const sent = () => network.of('PUT', '/api/option/').map(({ body }) => body as { key: string; value: string });
    return { area, cell, type, row, apply, staged, sent };
  };
  const stagedOne = zh.ratio.staged.replace('{{count}}', '1');

  it('keeps the ratios until it is left with a price, and brings them back when it is emptied', async () => {
    const { cell, type, row, staged } = await open();
    await type('price', 'x');
    expect(await row()).toEqual(['x', '1', '4']);
    fireEvent.blur(await cell('price'));
    expect(await row()).toEqual(['x', '1', '4']);
    await type('price', '');
    fireEvent.blur(await cell('price'));
    expect(await row()).toEqual(['', '1', '4']);
    expect(staged()).not.toContain(stagedOne);

    await type('price', '0.5');
    expect(await row()).toEqual(['0.5', '1', '4']);
    fireEvent.blur(await cell('price'));
    expect(await row()).toEqual(['0.5', '', '']);
    await type('price', '');
    fireEvent.blur(await cell('price'));
    expect(await row()).toEqual(['', '1', '4']);
    expect(staged()).not.toContain(stagedOne);
  });

  it('is left by Enter, and shows by Escape what it held before', async () => {
    const { cell, type, row, staged } = await open();
    await type('price', 'x');
    await type('price', '3');
    fireEvent.keyDown(await cell('price'), { key: 'Escape' });
    expect(await row()).toEqual(['', '1', '4']);
    expect(staged()).not.toContain(stagedOne);
    await type('price', '3');
    fireEvent.keyDown(await cell('price'), { key: 'Enter' });
    expect(await row()).toEqual(['3', '', '']);
    await type('price', '30');
    fireEvent.keyDown(await cell('price'), { key: 'Escape' });
    expect(await row()).toEqual(['3', '', '']);
  });

  it('that leaves its model without a price has this confirmed, by name, before it is applied', async () => {
    const { area, cell, type, apply, sent } = await open('{"b":2}', '{"a":0.1}');
    await type('price', '');
    fireEvent.blur(await cell('price'));
    expect((await cell('price')).placeholder).toBe(zh.ratio.noPrice);
    expect((await cell('price', 'b')).placeholder).toBe(zh.ratio.byTokens);
    apply();
    const dialog = within(await screen.findByRole('alertdialog'));
    expect(dialog.getByText('a')).toBeTruthy();
    fireEvent.click(dialog.getByRole('button', { name: shell.action.cancel }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(sent()).toEqual([]);

    await type('ratio', 'much');
    apply();
    await waitFor(async () => expect(document.activeElement).toBe(await cell('ratio')));
    expect(screen.queryByRole('alertdialog')).toBeNull();

    await type('ratio', '');
    fireEvent.click(area.getByRole('button', { name: zh.ratio.apply }));
    const again = within(await screen.findByRole('alertdialog'));
    fireEvent.click(again.getByRole('button', { name: zh.ratio.apply }));
    await waitFor(() => expect(sent()).toMatchObject([{ key: 'ModelPrice', value: '{}' }]));
  });
});

describe('the list of staged prices', () => {
  it('says what applying adds, changes and removes, with both numbers', async () => {
    const stored = { ModelRatio: '{"a":1,"b":2,"c":3}', ModelPrice: '{}', CompletionRatio: '{"a":4}' };
    const options = Object.entries(stored).map(([key, value]) => ({ key, value, revision: 1 }));
    await renderPage('/setting', { user: root, replies: { ...replies, 'GET /api/option/': success(options) } });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    expect(area.queryByRole('button', { name: zh.ratio.changes })).toBeNull();
    const edits = [
      ['b', 'ratio', '2.5'],
      ['a', 'price', '0.5'],
      ['c', 'completion', '6'],
    ] as const;
    for (const [model, field, value] of edits) {
      const cell = await area.findByRole('textbox', { name: `${model} ${zh.ratio.column[field]}` });
      fireEvent.change(cell, { target: { value } });
    }
    fireEvent.click(area.getByRole('button', { name: zh.ratio.changes }));
    const dialog = within(await screen.findByRole('dialog', { name: zh.ratio.changes }));
    const lines = dialog.getAllByRole('row').map((row) => [...row.children].map(({ textContent }) => textContent));
    const { price, ratio, completion } = zh.ratio.column;
    const { added, changed, removed } = shell.diff.kind;
    expect(lines.slice(1)).toEqual([
      [`a+ ${added} · ${price}`, '—', '0.5'],
      [`a\u2212 ${removed} · ${ratio}`, '1', '—'],
      [`a\u2212 ${removed} · ${completion}`, '4', '—'],
      [`b~ ${changed} · ${ratio}`, '2', '2.5 (+25%)'],
      [`c+ ${added} · ${completion}`, '—', '6'],
    ]);
    const count = (kind: 'added' | 'changed' | 'removed', many: number) =>
      shell.diff.count[kind].replace('{{count}}', String(many));
    expect(dialog.getByText([count('added', 2), count('changed', 1), count('removed', 2)].join(' · '))).toBeTruthy();
  });

  it('is not shown while a cell holds no number, and says why', async () => {
    const { store } = await renderPage('/setting', { user: root, replies });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    const cell = await area.findByRole('textbox', { name: `a ${zh.ratio.column.price}` });
    fireEvent.change(cell, { target: { value: 'x' } });
    const changes = area.getByRole('button', { name: zh.ratio.changes });
    fireEvent.click(changes);
    expect(changes.getAttribute('aria-disabled')).toBe('true');
    expect(store.getState().toasts.map(({ params }) => params)).toEqual([{ reason: zh.save.check }]);
    fireEvent.change(cell, { target: { value: '2' } });
    fireEvent.click(changes);
    const dialog = within(await screen.findByRole('dialog', { name: zh.ratio.changes }));
    expect(dialog.getByText('2')).toBeTruthy();
  });
});

describe('prices of many models at once', () => {
  it.each([
    ['zh', zh, zh.batch.action],
    ['en', en, en.batch.action_other],
  ] as const)('keep the other ratio, stored or just typed (%s)', async (language, own, action) => {
    const { network } = await renderPage('/setting', {
      user: root,
      language,
      replies: {
        'GET /api/option/': success([
          { key: 'ModelRatio', value: '{}', revision: 1 },
          { key: 'ModelPrice', value: '{}', revision: 1 },
          { key: 'CompletionRatio', value: '{"half":3}', revision: 1 },
        ]),
        'GET /api/channel/models_enabled': success(['half', 'none']),
        'PUT /api/option/': success(),
      },
    });
    const area = within(await screen.findByRole('region', { name: own.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: new RegExp(`^${own.ratio.tab.unset}`) }));
    const cell = (name: string) => area.findByRole('textbox', { name: `${name} ${own.ratio.column.completion}` });
    fireEvent.change(await cell('none'), { target: { value: '5' } });
    const table = area.getByRole('table', { name: own.ratio.tab.unset });
    fireEvent.click(within(table).getAllByRole('checkbox')[0] as HTMLElement);
    fireEvent.click(area.getByRole('button', { name: own.batch.openCount.replace('{{count}}', '2') }));
    const dialog = within(await screen.findByRole('dialog'));
    fireEvent.click(dialog.getByRole('radio', { name: own.batch.modes.ratio }));
    fireEvent.change(dialog.getByLabelText(own.batch.value), { target: { value: '2.5' } });
    fireEvent.click(dialog.getByRole('button', { name: action.replace('{{count}}', '2') }));
    fireEvent.click(await area.findByRole('button', { name: own.ratio.apply }));
    await waitFor(() => expect(network.of('PUT', '/api/option/')).toHaveLength(2));
    const sent = network.of('PUT', '/api/option/').map(({ body }) => body as { key: string; value: string });
    const stored = Object.fromEntries(sent.map(({ key, value }) => [key, JSON.parse(value) as unknown]));
    expect(stored).toEqual({ ModelRatio: { half: 2.5, none: 2.5 }, CompletionRatio: { half: 3, none: 5 } });
  });
});
