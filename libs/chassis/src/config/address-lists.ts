import ipaddr from 'ipaddr.js';

/** Names of ranges that may stand for proxies. Fastify knows the same. */
export const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
/** Host names have no slash, so a mistyped range is not taken for one. */
const HOST = /^[^\s/:]+$/;

/** The entries of a comma-separated list. */
export const entriesOf = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);

/** Whether the entry is an IPv4 or IPv6 address, alone or with a prefix length. */
const isRange = (entry: string): boolean => ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry);

/** Whether the entry is an IPv4 address with a netmask, such as 10.0.0.0/255.0.0.0. */
function hasNetmask(entry: string): boolean {
  const [base = '', mask = ''] = entry.split('/');
  return (
    ipaddr.IPv4.isValidFourPartDecimal(base) &&
    ipaddr.IPv4.isValidFourPartDecimal(mask) &&
    ipaddr.IPv4.parse(mask).prefixLengthFromSubnetMask() !== null
  );
}

/** Whether the text is a value for TOLLGATE_TRUSTED_PROXIES. */
export const areProxies = (text: string): boolean =>
  entriesOf(text).every((entry) => Object.hasOwn(NAMED_RANGES, entry) || isRange(entry) || hasNetmask(entry));

/** Whether the text is a value for TOLLGATE_OUTBOUND_ALLOW. */
export const areDestinations = (text: string): boolean =>
  entriesOf(text).every((entry) => HOST.test(entry) || isRange(entry));
