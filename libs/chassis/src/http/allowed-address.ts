import ipaddr from 'ipaddr.js';
import { addressRange, isInRange } from '../config/address-lists.js';

/**
 * Whether an address is in a token's list of addresses and CIDR ranges. An entry that cannot be parsed matches no address; an empty list,
 * every address.
 */
export function isAddressAllowed(address: string, allowed: readonly string[]): boolean {
  if (allowed.length === 0) return true;
  if (!ipaddr.isValid(address)) return false;
  const given = ipaddr.process(address);
  return allowed.some((entry) => {
    const range = addressRange(entry);
    return range !== undefined && isInRange(given, range);
  });
}
