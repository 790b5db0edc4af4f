import ipaddr from 'ipaddr.js';

/**
 * Whether an address is in a token's list of addresses and CIDR ranges. An entry that cannot be parsed matches no address; an empty list,
 * every address.
 */
export function isAddressAllowed(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const given = ipaddr.process(address);
  return allowed.some((entry) => matches(given, entry));
}

function matches(given: ipaddr.IPv4 | ipaddr.IPv6, entry: string): boolean {
  if (entry.includes('/')) {
    if (!ipaddr.isValidCIDR(entry)) return false;
    const [base, bits] = ipaddr.parseCIDR(entry);
    return base.kind() === given.kind() && given.match(base, bits);
  }
  return ipaddr.isValid(entry) && ipaddr.process(entry).toNormalizedString() === given.toNormalizedString();
}
