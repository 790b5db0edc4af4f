import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { renderPage, root } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

/** Options of a fake server whose reply to a write waits for the test. */
async function open(address: string, before: Record<string, string>) {
  const options = new Map(Object.entries(before).map(([key, value]) => [key, { key, value, revision: 1 }]));
  let answer: () => void = () => undefined;
  const view = await renderPage(address, {
    user: root,
    replies: {
      'GET /api/option/': () => success([...options.values()]),
      'GET /api/channel/models_enabled': success([]),
      'PUT /api/option/': async ({ body }: Call) => {
        await new Promise<void>((resolve) => (answer = resolve));
        const { key, value } = body as { key: string; value: string };
        options.set(key, { key, value, revision: (options.get(key)?.revision ?? 0) + 1 });
        return success();
      },
    },
  });
  const writes = () => view.network.of('PUT', '/api/option/').map(({ body }) => body as Record<string, unknown>);
  return { writes, answer: () => act(async () => answer()) };
}
const change = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });

describe('what is typed while a save is running', () => {
  it('stays in the field of an option, and is saved next on top of the saved value', async () => {
    const { writes, answer } = await open('/setting?tab=other', { Notice: 'old' });
    const field = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: zh.label.Notice });
    const save = () => fireEvent.click(screen.getByRole('button', { name: zh.saveField.Notice }));
    change(field, 'one');
    save();
    await waitFor(() => expect(writes()).toHaveLength(1));
    change(field, 'one two');
    await answer();
    await screen.findByText(zh.saved.Notice);
    expect(field.value).toBe('one two');
    save();
    await waitFor(() => expect(writes()).toHaveLength(2));
    expect(writes()[1]).toMatchObject({ value: 'one two', revision: 2 });
    await answer();
    await waitFor(() => expect(field.value).toBe('one two'));
  });

  it('stays staged, and is applied next on top of the applied prices', async () => {
    const { writes, answer } = await open('/setting', { ModelRatio: '{"a":1}' });
    const area = within(await screen.findByRole('region', { name: zh.card.ratio }));
    fireEvent.click(await area.findByRole('tab', { name: zh.ratio.tab.visual }));
    const name = `a ${zh.ratio.column.ratio}`;
    const cell = () => area.findByRole<HTMLInputElement>('textbox', { name });
    const set = async (value: string) => {
      change(await cell(), value);
      fireEvent.blur(await cell());
    };
    const apply = () => fireEvent.click(area.getByRole('button', { name: zh.ratio.apply }));
    await set('2');
    apply();
    await waitFor(() => expect(writes()).toHaveLength(1));
    await set('3');
    await answer();
    await screen.findByText(zh.save.done);
    expect((await cell()).value).toBe('3');
    apply();
    await waitFor(() => expect(writes()).toHaveLength(2));
    expect(writes()[1]).toMatchObject({ value: JSON.stringify({ a: 3 }, undefined, 2), revision: 2 });
    await answer();
    await waitFor(() => expect(area.queryByRole('button', { name: shell.action.undo })).toBeNull());
  });
});
