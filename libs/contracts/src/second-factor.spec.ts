import { describe, expect, it } from '@jest/globals';
import { mustEnrol } from './second-factor.js';

describe('mustEnrol', () => {
  it.each([
    ['nobody', 100, undefined, false],
    ['admins', 1, undefined, false],
    ['admins', 10, undefined, true],
    ['admins', 100, false, true],
    ['admins', 100, true, false],
    ['everybody', 1, undefined, true],
    ['everybody', 1, true, false],
  ] as const)('when it is asked of %s, of role %i with factor %s: %s', (rule, role, secondFactor, expected) => {
    expect(mustEnrol(rule, { role, secondFactor })).toBe(expected);
  });
});
