import { describe, expect, it } from '@jest/globals';
import { defaultOptions, isSecret, optionKeys } from '@tollgate/contracts/options/index';
import { takeRenders } from '../../../testing/count-renders.js';
import { success } from '../../../testing/fake-fetch.js';
import { texts as zh } from '../zh.js';

// React must find the counter when it is loaded.
const { act, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { renderPage, root } = await import('../../../testing/render-page.js');

const ROWS = 20;
/** A guard against hanging, not a measure: the texts of so many prices are long. */
const PATIENCE_MS = 180_000;
/** Components of one row, with its fields and buttons. */
const MOST_OF_ROW = 60;

/** As many models as wanted, each with a ratio. */
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
/** What one stroke draws, with what it draws later. */
async function strokeOf(field: HTMLElement, value: string): Promise<number> {
  takeRenders();
  type(field, value);
  await act(async () => undefined);
  return takeRenders();
}

/** By selector: looking for names and roles among so many elements takes far longer than drawing them. */
const found = <E extends HTMLElement>(selector: string): Promise<E> =>
  waitFor(() => {
    const element = document.querySelector<E>(`#section-ratio ${selector}`);
    if (!element) throw new Error(`no ${selector}`);
    return element;
  });

async function openTable(models: number) {
  const view = await renderPage('/setting', {
    user: root,
    replies: { 'GET /api/option/': optionsWith(models), 'GET /api/channel/models_enabled': success(['model-1']) },
  });
  fireEvent.click(await found('[role="tab"]:nth-of-type(2)'));
  type(await found('nav select'), String(ROWS));
  const cell = await found(`[aria-label="model-1 ${zh.ratio.column.ratio}"]`);
  const search = screen.getByLabelText(zh.ratio.search);
  // The first stroke also marks the row.
  await strokeOf(cell, '2');
  const strokes = { cell: await strokeOf(cell, '2.5'), search: await strokeOf(search, 'model-1') };
  view.unmount();
  return strokes;
}

describe('the table of prices', () => {
  it(
    'draws no more at a stroke with ten thousand models than with two hundred',
    async () => {
      const few = await openTable(2 * ROWS);
      const many = await openTable(10_000);
      expect(few.cell).toBeGreaterThan(10);
      expect(many.cell).toBeLessThanOrEqual(few.cell);
      // One row of twenty: all of them would be more than a thousand.
      expect(many.cell).toBeLessThan(300);
      // Whatever is found, a page of it is drawn.
      expect(many.search).toBeLessThan(ROWS * MOST_OF_ROW);
    },
    PATIENCE_MS,
  );
});
