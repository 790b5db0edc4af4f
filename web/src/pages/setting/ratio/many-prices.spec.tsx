import { describe, expect, it } from '@jest/globals';
import { defaultOptions, isSecret, optionKeys } from '@tollgate/contracts/options/index';
import { takeRenders } from '../../../testing/count-renders.js';
import { success } from '../../../testing/fake-fetch.js';
import { texts as zh } from '../zh.js';

// Imported later, because React looks for the counter of renders when it is loaded.
const { act, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { liveOpened } = await import('../../../app/slices/live.js');
const { renderPage, root } = await import('../../../testing/render-page.js');

const ROWS = 20;
/** This timeout only ends a hanging test; parsing the texts of so many prices is slow. */
const PATIENCE_MS = 180_000;
/** The most components that one row renders, with its fields and buttons. */
const MOST_OF_ROW = 60;

/** Options with this number of models, each with a ratio. */
function optionsWith(models: number): unknown {
  const ratios = Object.fromEntries(Array.from({ length: models }, (_, at) => [`model-${at}`, 1]));
  const changed: Record<string, string> = {
    ModelRatio: JSON.stringify(ratios),
    ModelPrice: '{}',
    CompletionRatio: '{}',
  };
  return success(
    optionKeys.map((key) =>
      isSecret(key)
        ? { key, value: '', revision: 0, secret: true, is_set: false }
        : { key, value: changed[key] ?? defaultOptions[key], revision: 1 },
    ),
  );
}

const type = (field: HTMLElement, value: string): void => void fireEvent.change(field, { target: { value } });
/** The number of components rendered by one keystroke, including deferred renders. */
async function strokeOf(field: HTMLElement, value: string): Promise<number> {
  takeRenders();
  type(field, value);
  await act(async () => undefined);
  return takeRenders();
}

/** By CSS selector, because queries by name and role take far longer on so many elements than rendering them. */
const found = <E extends HTMLElement>(selector: string): Promise<E> =>
  waitFor(() => {
    const element = document.querySelector<E>(`#card-ratio ${selector}`);
    if (!element) throw new Error(`no ${selector}`);
    return element;
  });

async function openTable(models: number) {
  const view = await renderPage('/setting', {
    user: root,
    replies: { 'GET /api/option/': optionsWith(models), 'GET /api/channel/models_enabled': success(['model-1']) },
  });
  // Without a live stream the frame of the page asks for news every twenty seconds, and renders them during a keystroke on a busy machine.
  act(() => void view.store.dispatch(liveOpened()));
  fireEvent.click(await found('[role="tab"]:nth-of-type(2)'));
  type(await found('nav select'), String(ROWS));
  const cell = await found(`[aria-label="model-1 ${zh.ratio.column.ratio}"]`);
  const search = screen.getByLabelText(zh.ratio.search);
  // The first keystroke also marks the row as changed, so it is not measured.
  await strokeOf(cell, '2');
  const strokes = { cell: await strokeOf(cell, '2.5'), search: await strokeOf(search, 'model-1') };
  view.unmount();
  return strokes;
}

describe('the table of prices', () => {
  it(
    'renders no more at a keystroke with ten thousand models than with a few',
    async () => {
      const few = await openTable(2 * ROWS);
      const many = await openTable(10_000);
      expect(few.cell).toBeGreaterThan(10);
      expect(many.cell).toBeLessThanOrEqual(few.cell);
      // A keystroke renders one of twenty rows; all of them are more than a thousand components.
      expect(many.cell).toBeLessThan(300);
      // A search renders one page of rows, however many match.
      expect(many.search).toBeLessThan(ROWS * MOST_OF_ROW);
    },
    PATIENCE_MS,
  );
});
