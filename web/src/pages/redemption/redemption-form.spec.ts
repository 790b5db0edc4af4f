import { describe, expect, it } from '@jest/globals';
import type { Redemption } from '@tollgate/contracts/api/redemption';
import { blankCode, formOf, isCount, nameProblem, toCreate, toUpdate, worthProblem } from './redemption-form.js';
import { fileNameOf } from './created-dialog.js';

const code: Redemption = {
  ...{ id: 7, user_id: 1, key: 'a', status: 1, name: 'gift', quota: 500 },
  ...{ created_time: 1, redeemed_time: 0, used_user_id: 0, expired_time: 0 },
};

describe('the form of codes', () => {
  it('names a batch after its quota when it has no name', () => {
    expect(toCreate({ ...blankCode, count: '3' }, '$0.20')).toEqual({
      ...{ name: '$0.20', quota: 100_000, count: 3, expired_time: 0 },
    });
  });

  it('sends only what changed', () => {
    const form = formOf(code);
    expect(toUpdate(form, form, 7)).toEqual({ id: 7 });
    expect(toUpdate({ ...form, quota: '900' }, form, 7)).toEqual({ id: 7, quota: 900, expected: { quota: 500 } });
  });

  it('counts the characters of a name like the server', () => {
    expect(nameProblem('😀'.repeat(20), true)).toBeUndefined();
    expect(nameProblem('n'.repeat(21), true)).toMatchObject({ params: { max: 20, now: 21 } });
    expect(nameProblem(' ', true)).toEqual({ key: 'form.noName' });
    expect(nameProblem('', false)).toBeUndefined();
  });

  it.each([
    ['1', true],
    ['100', true],
    ['0', false],
    ['101', false],
    ['1.5', false],
    ['', false],
  ])('accepts a count of %p: %p', (text, fine) => expect(isCount(text)).toBe(fine));

  it('says what each code may be worth in a batch above the limit', () => {
    const dear = { key: 'form.tooDear', params: { count: 3, most: 3_333_333_333_333, total: 10_000_000_000_000 } };
    expect(worthProblem(3_333_333_333_334, '3')).toEqual(dear);
    expect(worthProblem(3_333_333_333_333, '3')).toBeUndefined();
    expect(worthProblem(10_000_000_000_001, '1')).toMatchObject({ params: { count: 1, most: 10_000_000_000_000 } });
    // The number of codes has a fault of its own.
    expect(worthProblem(10_000_000_000_000, 'many')).toBeUndefined();
  });

  it('names the file after batch and time, without characters that file names may not have', () => {
    expect(fileNameOf('a/b:c', 0)).toMatch(/^a_b_c_\d{14}\.txt$/);
    expect(fileNameOf('', 0)).toMatch(/^codes_\d{14}\.txt$/);
  });
});
