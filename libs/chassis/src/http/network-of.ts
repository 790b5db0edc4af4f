import ipaddr from 'ipaddr.js';

/**
 * The network that stands for an address where addresses are counted or remembered: the address itself for IPv4, the
 * /64 for IPv6, because a subscriber usually has all of it and can change the address freely. What is no address stays
 * as it is.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}
