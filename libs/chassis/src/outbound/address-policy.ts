import ipaddr from 'ipaddr.js';
import { addressRange, type AddressRange, entriesOf, isInRange } from '../config/address-lists.js';

/**
 * Classes of outbound URLs by who sets them, which decides the addresses allowed. `user`: webhooks, image links. `admin`: OIDC, bridges,
 * payment. `channel`: model upstreams and mail servers, which operators also run on private and loopback addresses.
 */
export type OutboundClass = 'user' | 'admin' | 'channel';

type Range = 'public' | 'private' | 'loopback' | 'never';

const PRIVATE = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);
/** Address ranges allowed for each class. Link-local, metadata, multicast and reserved addresses are `never`. */
const ALLOWED: Record<OutboundClass, ReadonlySet<Range>> = {
  user: new Set(['public']),
  admin: new Set(['public']),
  channel: new Set(['public', 'private', 'loopback']),
};

/** Cloud metadata services outside the link-local range. */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254', 'fd20:ce::254']);

/** IPv6 allocated for public unicast, and the blocks inside it that are reserved for other purposes. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
const NOT_GLOBAL = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

const isGlobal = (address: ipaddr.IPv6): boolean =>
  address.match(GLOBAL_UNICAST) && !NOT_GLOBAL.some((range) => address.match(range));

export interface OutboundAllowance {
  hosts: ReadonlySet<string>;
  ranges: readonly AddressRange[];
}

/** Parses TOLLGATE_OUTBOUND_ALLOW: host names, addresses and CIDR ranges, comma-separated. */
export function parseAllowance(text: string): OutboundAllowance {
  const hosts = new Set<string>();
  const ranges: AddressRange[] = [];
  for (const part of entriesOf(text)) {
    const range = addressRange(part);
    if (range) ranges.push(range);
    else hosts.add(part.toLowerCase());
  }
  return { hosts, ranges };
}

/** Extracts an IPv4 address embedded in IPv6 (mapped, 6to4, NAT64), which is what the policy must judge. */
function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address.kind() === 'ipv4') return address;
  const six = address as ipaddr.IPv6;
  if (six.isIPv4MappedAddress()) return six.toIPv4Address();
  const bytes = six.toByteArray();
  const range = six.range();
  if (range === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6));
  if (range === 'rfc6052') return new ipaddr.IPv4(bytes.slice(12, 16));
  return six;
}

function rangeOf(address: ipaddr.IPv4 | ipaddr.IPv6): Range {
  if (METADATA.has(address.toString())) return 'never';
  const range = address.range();
  if (address.kind() === 'ipv6' && range === 'unicast') return isGlobal(address as ipaddr.IPv6) ? 'public' : 'never';
  if (range === 'unicast') return 'public';
  if (range === 'loopback') return 'loopback';
  return PRIVATE.has(range) ? 'private' : 'never';
}

/** Whether connecting to a resolved address is allowed. */
export function isAllowed(address: string, kind: OutboundClass, allowance: OutboundAllowance): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = unwrap(ipaddr.parse(address));
  const range = rangeOf(parsed);
  if (ALLOWED[kind].has(range)) return true;
  return allowance.ranges.some((range) => isInRange(parsed, range));
}
