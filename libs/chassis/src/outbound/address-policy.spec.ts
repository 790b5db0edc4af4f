import { describe, expect, it } from '@jest/globals';
import { isAllowed, parseAllowance } from './address-policy.js';

const nothing = parseAllowance('');

describe('the outbound policy', () => {
  it.each([
    ['0.0.0.0', 'this host'],
    ['127.0.0.1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['192.168.1.1', 'private'],
    ['172.16.0.1', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['169.254.169.254', 'metadata'],
    ['100.100.100.200', 'metadata of another cloud'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['fe80::1', 'link-local'],
    ['fd00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata'],
    ['::ffff:10.0.0.1', 'private, mapped into IPv6'],
    ['::ffff:169.254.169.254', 'metadata, mapped'],
    ['2002:0a00:0001::', 'private behind 6to4'],
    ['64:ff9b::a9fe:a9fe', 'metadata behind NAT64'],
    ['::7f00:1', 'loopback, in the old form of IPv4 in IPv6'],
    ['::10.0.0.1', 'private, in the old form'],
    ['::5db8:d822', 'a public one in the old form'],
    ['fec0::1', 'site-local of old'],
    ['64:ff9b:1::a00:1', 'private behind a local NAT64'],
    ['100::1', 'discarded'],
    ['4000::1', 'not handed out yet'],
    ['5f00::1', 'segment routing'],
    ['2001::1', 'Teredo'],
    ['2001:2::1', 'benchmarks'],
    ['2001:20::1', 'ORCHID'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['198.18.0.1', 'benchmarks'],
    ['not an address', 'nonsense'],
  ])('keeps users and administrators from %s (%s)', (address) => {
    expect(isAllowed(address, 'user', nothing)).toBe(false);
    expect(isAllowed(address, 'admin', nothing)).toBe(false);
  });

  it.each([
    '93.184.216.34',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001::1',
    '::ffff:93.184.216.34',
    '64:ff9b::5db8:d822',
  ])('lets everybody reach %s', (address) => {
    for (const kind of ['user', 'admin', 'channel'] as const) expect(isAllowed(address, kind, nothing)).toBe(true);
  });

  it.each(['127.0.0.1', '10.0.0.5', '192.168.3.4', '::1', 'fd12::1', '100.64.9.9'])(
    'lets channels reach %s, where operators run models',
    (address) => {
      expect(isAllowed(address, 'channel', nothing)).toBe(true);
    },
  );

  it.each(['169.254.169.254', 'fe80::1', '0.0.0.0', '100.100.100.200', '::ffff:169.254.169.254', '2002:a9fe:a9fe::'])(
    'never lets a channel reach %s',
    (address) => {
      expect(isAllowed(address, 'channel', nothing)).toBe(false);
    },
  );

  it('is extended by addresses and ranges of TOLLGATE_OUTBOUND_ALLOW, and by nothing else', () => {
    const allowance = parseAllowance('10.1.0.0/16, 192.168.7.7 ,fd00::/8, hooks.internal');
    expect(isAllowed('10.1.255.1', 'user', allowance)).toBe(true);
    expect(isAllowed('192.168.7.7', 'user', allowance)).toBe(true);
    expect(isAllowed('fd12:3456::1', 'user', allowance)).toBe(true);
    expect(isAllowed('10.2.0.1', 'user', allowance)).toBe(false);
    expect(isAllowed('192.168.7.8', 'user', allowance)).toBe(false);
    expect(allowance.hosts.has('hooks.internal')).toBe(true);
  });

  it('takes a range of IPv4 in the spelling of IPv6 as well', () => {
    const allowance = parseAllowance('::ffff:10.1.0.0/112, ::ffff:192.168.7.7');
    expect(isAllowed('10.1.255.1', 'user', allowance)).toBe(true);
    expect(isAllowed('::ffff:192.168.7.7', 'user', allowance)).toBe(true);
    expect(isAllowed('10.2.0.1', 'user', allowance)).toBe(false);
  });
});
