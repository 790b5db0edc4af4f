import ipaddr from 'ipaddr.js';

/** Names of ranges that may stand for proxies. Fastify knows the same. */
export const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
/** Host names have no slash, so a mistyped range is not taken for one. */
const HOST = /^[^\s/:]+$/;

const BROKER = /^[^\s,:|/]+:(\d{1,5})$/;
const MOST_PORT = 65_535;

/** The entries of a comma-separated list. */
export const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = readonly [base: Address, bits: number];

/** Bits of an IPv6 address before the IPv4 address that is mapped into it. */
const MAPPED_BITS = 96;

/**
 * Requires four plain decimals wherever an address has dots. The parser reads a leading zero as octal (`10.0.0.010` is 10.0.0.8), and also
 * accepts hexadecimal and short forms, so an entry could stand for another address than the one its author means.
 */
function isPlain(address: string): boolean {
  const tail = address.slice(address.lastIndexOf(':') + 1);
  return tail === address || tail.includes('.') ? ipaddr.IPv4.isValidFourPartDecimal(tail) : true;
}

/**
 * The range that an entry of a list stands for: an address, alone or with a prefix length. IPv4 in the spelling of IPv6 is the range of IPv4,
 * because clients are compared as IPv4. Undefined for anything else.
 */
export function addressRange(entry: string): AddressRange | undefined {
  if (!isPlain(entry.replace(/\/.*/, ''))) return undefined;
  if (ipaddr.isValid(entry)) {
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  if (!ipaddr.isValidCIDR(entry)) return undefined;
  const [base, bits] = ipaddr.parseCIDR(entry);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= MAPPED_BITS;
  return isMapped ? [base.toIPv4Address(), bits - MAPPED_BITS] : [base, bits];
}

export const isInRange = (address: Address, [base, bits]: AddressRange): boolean =>
  base.kind() === address.kind() && address.match(base, bits);

/** Whether the entry is an IPv4 address with a netmask, such as 10.0.0.0/255.0.0.0. */
function hasNetmask(entry: string): boolean {
  const [base = '', mask = ''] = entry.split('/');
  return (
    ipaddr.IPv4.isValidFourPartDecimal(base) &&
    ipaddr.IPv4.isValidFourPartDecimal(mask) &&
    ipaddr.IPv4.parse(mask).prefixLengthFromSubnetMask() !== null
  );
}

/** The first entry that is not allowed in TOLLGATE_TRUSTED_PROXIES. */
export const wrongProxy = (text: string): string | undefined =>
  entriesOf(text).find((entry) => !Object.hasOwn(NAMED_RANGES, entry) && !addressRange(entry) && !hasNetmask(entry));

/** The first entry that is not allowed in TOLLGATE_OUTBOUND_ALLOW. */
export const wrongDestination = (text: string): string | undefined =>
  entriesOf(text).find((entry) => (!HOST.test(entry) || ipaddr.isValid(entry)) && !addressRange(entry));

/** The first entry that is not allowed in KAFKA_BROKERS; an empty one, too, because a comma too many may hide a missing broker. */
export const wrongBroker = (text: string): string | undefined =>
  text.split(',').find((entry) => {
    const [, port] = BROKER.exec(entry) ?? [];
    return port === undefined || Number(port) > MOST_PORT;
  });
