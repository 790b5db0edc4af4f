import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { defaultOptions } from '@tollgate/contracts/options/index';
import type { Call } from '../../testing/fake-fetch.js';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { root } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { card, listOf, openSettings, type } from '../../testing/open-setting.js';
import { texts as zh } from './zh.js';

describe('prices', () => {
  const area = async () => card(zh.card.ratio);

  it('stages edits of the table and writes only the tables they touch', async () => {
    const { puts } = await openSettings('/setting');
    const ratio = await area();
    fireEvent.click(await ratio.findByRole('tab', { name: zh.ratio.tab.visual }));
    type(await ratio.findByLabelText(zh.ratio.search), 'gpt-4o-mini-2024-07-18');
    const cell = await ratio.findByLabelText(`gpt-4o-mini-2024-07-18 ${zh.ratio.column.ratio}`);
    type(cell, '9');
    fireEvent.click(ratio.getByRole('button', { name: zh.ratio.apply }));
    await screen.findByText(zh.save.done);
    expect(puts()).toHaveLength(1);
    const [{ key, value } = { key: '', value: '' }] = puts();
    expect(key).toBe('ModelRatio');
    const before = JSON.parse(defaultOptions.ModelRatio) as Record<string, number>;
    expect(JSON.parse(String(value))).toEqual({ ...before, 'gpt-4o-mini-2024-07-18': 9 });
  });

  it('keeps staged prices between the tables, and confirms before they are lost', async () => {
    const { router } = await openSettings('/setting');
    const ratio = await area();
    fireEvent.click(await ratio.findByRole('tab', { name: zh.ratio.tab.visual }));
    type(await ratio.findByLabelText(zh.ratio.search), 'gpt-4o-mini-2024-07-18');
    type(await ratio.findByLabelText(`gpt-4o-mini-2024-07-18 ${zh.ratio.column.ratio}`), '9');
    fireEvent.click(ratio.getByRole('tab', { name: zh.ratio.tab.json }));
    expect(ratio.getByText(zh.ratio.staged.replace('{{count}}', '1'))).toBeTruthy();
    await act(() => router.navigate('/setting?tab=system'));
    await act(() => router.navigate('/setting?tab=operation'));
    expect((await area()).getByText(zh.ratio.staged.replace('{{count}}', '1'))).toBeTruthy();
    await act(() => router.navigate('/token'));
    expect(await screen.findByText(shell.form.discardTitle)).toBeTruthy();
  });

  it('does not overwrite a price that somebody else changed in the meantime', async () => {
    let other: Record<string, string> = {};
    const { puts } = await openSettings('/setting', success(), root, () => listOf(other));
    const ratio = await area();
    fireEvent.click(await ratio.findByRole('tab', { name: zh.ratio.tab.visual }));
    type(await ratio.findByLabelText(zh.ratio.search), 'gpt-4o-mini-2024-07-18');
    type(await ratio.findByLabelText(`gpt-4o-mini-2024-07-18 ${zh.ratio.column.ratio}`), '9');
    const ratios = JSON.parse(defaultOptions.ModelRatio) as Record<string, number>;
    other = { ModelRatio: JSON.stringify({ ...ratios, 'gpt-4o-mini-2024-07-18': 5 }) };
    fireEvent.click(ratio.getByRole('button', { name: zh.ratio.apply }));
    const told = within(await ratio.findByRole('alert'));
    expect(told.getByText(zh.ratio.conflict)).toBeTruthy();
    const completion = (JSON.parse(defaultOptions.CompletionRatio) as Record<string, number>)['gpt-4o-mini-2024-07-18'];
    const value = [`${zh.ratio.column.ratio} 5`, completion && `${zh.ratio.column.completion} ${completion}`];
    const theirs = zh.ratio.theirs
      .replace('{{name}}', 'gpt-4o-mini-2024-07-18')
      .replace('{{value}}', value.filter(Boolean).join(', '));
    expect(told.getByText(theirs)).toBeTruthy();
    expect(puts()).toEqual([]);
    fireEvent.click(ratio.getByRole('button', { name: zh.ratio.apply }));
    await waitFor(() => expect(puts().map(({ key }) => key)).toEqual(['ModelRatio']));
    expect(ratio.queryByRole('alert')).toBeNull();
  });

  it('does not overwrite a later change by somebody else after a partial refusal, and does not mistake its own part for one', async () => {
    const name = 'gpt-4o-mini-2024-07-18';
    const stored: Record<string, string> = {};
    const refused = new Set(['ModelRatio']);
    const { puts } = await openSettings(
      '/setting?tab=operation',
      ({ body }: Call) => {
        const { key, value } = body as { key: string; value: string };
        if (refused.has(key)) return json(refusal('no', 'unavailable'));
        stored[key] = value;
        return success();
      },
      root,
      () => listOf(stored),
    );
    const ratio = await area();
    fireEvent.click(await ratio.findByRole('tab', { name: zh.ratio.tab.visual }));
    type(await ratio.findByLabelText(zh.ratio.search), name);
    type(await ratio.findByLabelText(`${name} ${zh.ratio.column.ratio}`), '9');
    type(await ratio.findByLabelText(`${name} ${zh.ratio.column.completion}`), '7');
    const apply = () => fireEvent.click(ratio.getByRole('button', { name: zh.ratio.apply }));
    apply();
    expect(await screen.findByText(zh.save.partly)).toBeTruthy();
    expect(puts().map(({ key }) => key)).toEqual(['ModelRatio', 'CompletionRatio']);
    apply();
    await waitFor(() => expect(puts().map(({ key }) => key)).toEqual(['ModelRatio', 'CompletionRatio', 'ModelRatio']));

    const ratios = JSON.parse(defaultOptions.ModelRatio) as Record<string, number>;
    stored.ModelRatio = JSON.stringify({ ...ratios, [name]: 5 });
    refused.clear();
    await waitFor(() =>
      expect(ratio.getByRole('button', { name: zh.ratio.apply }).hasAttribute('disabled')).toBe(false),
    );
    apply();
    expect(await screen.findByText(zh.ratio.conflict)).toBeTruthy();
    expect(puts()).toHaveLength(3);
  });

  it('prices several unset models together', async () => {
    const { puts } = await openSettings('/setting');
    const ratio = await area();
    const name = zh.ratio.tab.unsetCount.replace('{{count}}', '1');
    fireEvent.click(await ratio.findByRole('tab', { name }));
    const open0 = await ratio.findByRole('button', { name: zh.batch.openCount.replace('{{count}}', '0') });
    fireEvent.click(open0);
    expect(await screen.findByText(zh.batch.choose)).toBeTruthy();
    fireEvent.click(ratio.getByLabelText(shell.table.selectPage));
    fireEvent.click(await ratio.findByRole('button', { name: zh.batch.openCount.replace('{{count}}', '1') }));
    const dialog = within(await screen.findByRole('dialog'));
    type(dialog.getByLabelText(zh.batch.value), '0.25');
    fireEvent.click(dialog.getByRole('button', { name: zh.batch.action.replace('{{count}}', '1') }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    fireEvent.click(ratio.getByRole('button', { name: zh.ratio.apply }));
    await waitFor(() => expect(puts().map(({ key }) => key)).toEqual(['ModelPrice']));
    expect(JSON.parse(String(puts()[0]?.value))['brand-new']).toBe(0.25);
  });

  it('resets the ratios only when their name was typed', async () => {
    const { network } = await openSettings('/setting');
    const ratio = await area();
    fireEvent.click(await ratio.findByRole('button', { name: zh.reset.action }));
    const dialog = within(await screen.findByRole('alertdialog'));
    type(dialog.getByRole('textbox'), 'ModelRatio');
    fireEvent.click(dialog.getByRole('button', { name: zh.reset.action }));
    await waitFor(() => expect(network.of('POST', '/api/option/rest_model_ratio')).toHaveLength(1));
  });
});
