import { describe, expect, it } from '@jest/globals';
import { isAddressAllowed } from './address-list.js';

describe('isAddressAllowed', () => {
  it.each([
    ['1.2.3.4', [], true],
    ['1.2.3.4', ['1.2.3.4'], true],
    ['::ffff:1.2.3.4', ['1.2.3.4'], true],
    ['1.2.3.5', ['1.2.3.4'], false],
    ['10.1.2.3', ['10.0.0.0/8'], true],
    ['2001:db8::1', ['2001:db8::/32'], true],
    ['1.2.3.4', ['2001:db8::/32'], false],
    ['1.2.3.4', ['nonsense'], false],
    ['not an address', ['0.0.0.0/0'], false],
  ])('%s under %j: %s', (address, allowed, expected) => {
    expect(isAddressAllowed(address, allowed)).toBe(expected);
  });
});
