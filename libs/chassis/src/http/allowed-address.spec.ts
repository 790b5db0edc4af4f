import { describe, expect, it } from '@jest/globals';
import { isAddressAllowed } from './allowed-address.js';

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
    ['127.0.0.8', ['127.0.0.010', '127.0.0.010/32', '::ffff:127.0.0.010'], false],
    ['127.0.0.10', ['127.0.0.010', '127.0.0.010/32', '::ffff:127.0.0.010'], false],
    ['127.0.0.1', ['::ffff:127.0.0.0/104'], true],
    ['::ffff:127.0.0.1', ['::ffff:127.0.0.0/104'], true],
    ['128.0.0.1', ['::ffff:127.0.0.0/104'], false],
    ['::2', ['::1'], false],
    ['not an address', ['0.0.0.0/0'], false],
  ])('%s under %j: %s', (address, allowed, expected) => {
    expect(isAddressAllowed(address, allowed)).toBe(expected);
  });
});
