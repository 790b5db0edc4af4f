import { describe, expect, it } from '@jest/globals';
import { costsOfText, termsText, textOfCosts } from './cost-text.js';

const version = { id: 1, channel_id: 2, since: 3, actor_id: 4 };

describe('cost prices as text', () => {
  it('are unchanged after formatting and parsing', () => {
    const current = [
      { ...version, model: '', terms: { ratio: 0.7 } },
      { ...version, model: 'gpt-4o', terms: { input: 2.5, output: 10 } },
    ];
    const costs = [
      { model: '', terms: { ratio: 0.7 } },
      { model: 'gpt-4o', terms: { input: 2.5, output: 10 } },
    ];
    expect(costsOfText(textOfCosts(current))).toEqual(costs);
    expect(costsOfText(textOfCosts([]))).toEqual([]);
  });

  it('name the terms', () => {
    expect(termsText({ input: 2.5, output: 10 })).toBe('input 2.5, output 10');
    expect(termsText(null)).toBe('');
  });
});
