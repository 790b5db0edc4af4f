import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { success } from '../../../testing/fake-fetch.js';
import { renderPage, root } from '../../../testing/render-page.js';
import { texts as zh } from '../zh.js';

const replies = {
  'GET /api/option/': success([
    { key: 'ModelRatio', value: '{"a":1}', revision: 1 },
    { key: 'ModelPrice', value: '{}', revision: 1 },
    { key: 'CompletionRatio', value: '{}', revision: 1 },
  ]),
  'GET /api/channel/models_enabled': success([]),
};

describe('the raw tables of prices', () => {
  it('are out of reach beside the other tables, and the same texts afterwards, also when an option leads there', async () => {
    const { router } = await renderPage('/setting', { user: root, replies });
    const area = within(await screen.findByRole('region', { name: zh.section.ratio }));
    const text = await area.findByRole('textbox', { name: zh.label.ModelRatio });
    fireEvent.click(area.getByRole('tab', { name: zh.ratio.tab.visual }));
    await area.findByLabelText(zh.ratio.search);
    // With ten thousand models a browser would lay them out anew for the better part of a second.
    expect(text.isConnected).toBe(true);
    expect(area.queryByRole('textbox', { name: zh.label.ModelRatio })).toBeNull();
    await act(() => router.navigate('/setting?key=ModelRatio'));
    expect(await area.findByRole('textbox', { name: zh.label.ModelRatio })).toBe(text);
    expect(area.queryByLabelText(zh.ratio.search)).toBeNull();
  });
});
