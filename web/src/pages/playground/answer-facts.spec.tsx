import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, render } from '@testing-library/react';
import i18n from 'i18next';
import { Provider } from 'react-redux';
import { startI18n } from '../../app/i18n/index.js';
import { createStore } from '../../app/store.js';
import { loadDictionary } from '../../shell/dictionaries.js';
import { fakeFetch, success } from '../../testing/fake-fetch.js';
import { AnswerFacts } from './answer-facts.js';
import type { Facts } from './conversation.js';

const PATIENCE_MS = 200_000;
const rows = (...items: unknown[]) => success({ items, total: items.length, page: 1, page_size: 1 });

/** Shows the facts of an answer for as long as anybody would wait; returns the calls for its bill, and the bill. */
async function show(facts: Facts, reply: () => unknown = () => rows()) {
  const network = fakeFetch({ 'GET /api/log/self/': reply });
  globalThis.fetch = network.answer;
  const onBill = jest.fn();
  const view = render(
    <Provider store={createStore()}>
      <AnswerFacts facts={facts} onBill={onBill} />
    </Provider>,
  );
  await act(() => jest.advanceTimersByTimeAsync(PATIENCE_MS));
  view.unmount();
  return { asked: network.calls.length, bills: onBill.mock.calls.map(([bill]) => bill) };
}

describe('the bill of an answer', () => {
  beforeEach(async () => {
    if (!i18n.isInitialized) await startI18n(loadDictionary, 'zh');
    await i18n.loadNamespaces('playground');
    jest.useFakeTimers();
  });
  afterEach(() => void jest.useRealTimers());

  it('is asked for until it is there, and then never again', async () => {
    const bill = { promptTokens: 11, completionTokens: 2, quota: 19 };
    let calls = 0;
    const booked = () => rows(...(++calls > 3 ? [{ prompt_tokens: 11, completion_tokens: 2, quota: 19 }] : []));
    expect(await show({ requestId: 'late' }, booked)).toEqual({ asked: 4, bills: [bill] });
    expect(await show({ requestId: 'known', bill }, booked)).toEqual({ asked: 0, bills: [] });
  });

  it('is asked for as often as it is worth', async () => {
    expect((await show({ requestId: 'never' })).asked).toBe(15);
    expect((await show({ requestId: 'refused', billAsks: 2 })).asked).toBe(2);
    expect((await show({ requestId: 'restored', billAsks: 0 })).asked).toBe(0);
    expect((await show({ totalMs: 5 })).asked).toBe(0);
  });
});
