import { describe, expect, it } from '@jest/globals';
import { literal, testsOf, visible } from './clickhouse-conditions.js';

describe('literal', () => {
  it.each([
    [`it's`, `'it\\'s'`],
    ['back\\slash', `'back\\\\slash'`],
    [`\\'; drop table usage_log --`, `'\\\\\\'; drop table usage_log --'`],
    ['a\0b\nc\td', `'a\\0b\\nc\\td'`],
    ['日本 %_', `'日本 %_'`],
    [-5, '-5'],
    [true, '1'],
  ])('writes %j as a single quoted value', (value, text) => {
    expect(literal(value)).toBe(text);
  });

  it.each([1.5, NaN, Infinity, 2 ** 53])('refuses %p', (value) => {
    expect(() => literal(value)).toThrow(RangeError);
  });
});

describe('testsOf', () => {
  it('limits the search for an id to the time in it, if it has one', () => {
    const at = Date.UTC(2026, 0, 9) / 1000;
    const id = `0${(at * 1000).toString(16)}`.replace(/^(.{8})/, '$1-') + '-7000-8000-000000000000';
    expect(testsOf({ eventId: id.toUpperCase() })).toEqual([
      `event_id = '${id}'`,
      `created_at >= ${at - 86_400}`,
      `created_at < ${at + 8 * 86_400}`,
    ]);
    const other = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';
    expect(testsOf({ eventId: other })).toEqual([`event_id = '${other}'`]);
  });

  it('uses the column names, and includes both ends of a time range', () => {
    expect(testsOf({ group: 'a', tokenId: 3, from: 1, to: 2 })).toEqual([
      "`group` = 'a'",
      '`token_id` = 3',
      'created_at >= 1',
      'created_at <= 2',
    ]);
  });
});

describe('visible', () => {
  it('excludes cleared rows, but not rows that were added later', () => {
    expect(visible([{ before: 50, id: 7 }])).toEqual(['not (created_at < 50 and id <= 7)']);
    expect(visible([])).toEqual([]);
  });
});
