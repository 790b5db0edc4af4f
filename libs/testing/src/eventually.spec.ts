import { describe, expect, it } from '@jest/globals';
import { eventually, readUntil } from './eventually.js';

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

describe('readUntil', () => {
  it('reads until the value is as wanted, and returns it', async () => {
    const values = [0, 1, 2, 3];
    expect(
      await readUntil(
        () => values.shift(),
        (value) => value === 2,
      ),
    ).toBe(2);
    expect(values).toEqual([3]);
  });

  it('fails with the last value', async () => {
    const read = () => Promise.resolve({ quota: 7 });
    await expect(readUntil(read, ({ quota }) => quota === 8, 50)).rejects.toThrow('{"quota":7}');
  });
});
