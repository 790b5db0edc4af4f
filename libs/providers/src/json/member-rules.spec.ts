import { describe, expect, it } from '@jest/globals';
import { fold, overridesOf } from './member-rules.js';

describe('fold', () => {
  it.each([
    ['model', 'model'],
    ['MoDel', 'model'],
    ['\u017ftream', 'stream'],
    ['max_to\u212aens', 'max_tokens'],
    ['l\u0131mit', 'limit'],
    ['模型', '模型'],
  ])('%s: %s', (name, folded) => expect(fold(name)).toBe(folded));
});

describe('overridesOf', () => {
  it('says what it overrides in the letters of the member, and never how the reply is read', () => {
    const override = { MAX_TOKENS: 5, Stream: true, stream: true, '\u017ftream': true, 'X-Own': 1, temperature: 0 };
    expect(Object.fromEntries(overridesOf(override))).toEqual({ max_tokens: 5, 'X-Own': 1, temperature: 0 });
  });
});
