import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.js';

describe('eventually', () => {
  it('asks until the answer is true, and returns it', async () => {
    const answers = ['', '', 'here', 'later'];
    expect(await eventually('an answer', () => Promise.resolve(answers.shift()))).toBe('here');
    expect(answers).toEqual(['later']);
  });

  it('fails with what was waited for', async () => {
    await expect(eventually('the mail is sent', () => false, 50)).rejects.toThrow('the mail is sent');
  });

  it('fails at once when asking fails', async () => {
    const broken = (): boolean => {
      throw new Error('no such table');
    };
    await expect(eventually('a row', broken)).rejects.toThrow('no such table');
  });
});
