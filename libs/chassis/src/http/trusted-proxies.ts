import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { addressRange, type AddressRange, entriesOf, isInRange, NAMED_RANGES } from '../config/address-lists.js';
import type { Env } from '../config/env.js';

/** Proxies whose statements about a client are trusted: addresses, ranges, and the names of `NAMED_RANGES`. With an empty list none is trusted. */
export const trustedProxies = ({ TOLLGATE_TRUSTED_PROXIES }: Pick<Env, 'TOLLGATE_TRUSTED_PROXIES'>): string[] =>
  entriesOf(TOLLGATE_TRUSTED_PROXIES);

const PORT_AFTER_IPV4 = /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/;
const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;

/**
 * Some balancers append the client's port (`192.0.2.9:50312`, `[2001:db9::1]:50312`). It changes with each connection, so with it no two
 * requests of a client would share an address in limits.
 */
const withoutPort = (text: string): string => (PORT_AFTER_IPV4.exec(text) ?? IN_BRACKETS.exec(text))?.[1] ?? text;

/** Determines the client of a request from the headers of trusted proxies, with the same result as Fastify, but without the port. */
export class ClientAddresses {
  private readonly ranges: readonly AddressRange[];

  /** Throws for an entry that is not an address, a range or a known name. */
  constructor(entries: readonly string[]) {
    this.ranges = entries.flatMap((entry) => (NAMED_RANGES[entry] ?? [entry]).map(rangeOf));
  }

  /** The nearest address that does not belong to a trusted proxy, else the farthest one. */
  addressOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    let address = socket.remoteAddress ?? '';
    if (this.ranges.length === 0) return address;
    const forwardedFor = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((text) => withoutPort(text.trim()))
      .filter(Boolean);
    while (this.trusts(address)) {
      const farther = forwardedFor.pop();
      if (farther === undefined) break;
      address = farther;
    }
    return address;
  }

  /** `https` when the client used TLS to us, or to a trusted proxy. */
  protocolOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    const forwardedProto = headers['x-forwarded-proto'];
    if (typeof forwardedProto === 'string' && this.trusts(socket.remoteAddress ?? ''))
      return forwardedProto.slice(forwardedProto.lastIndexOf(',') + 1).trim();
    return 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http';
  }

  private trusts(text: string): boolean {
    if (this.ranges.length === 0 || !ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return this.ranges.some((range) => isInRange(address, range));
  }
}

/** An address, or a range when a prefix length or netmask follows a slash. */
function rangeOf(entry: string): AddressRange {
  const range = addressRange(entry);
  if (range) return range;
  const [base = '', mask = ''] = entry.split('/');
  const bits = ipaddr.IPv4.parse(mask).prefixLengthFromSubnetMask();
  if (bits === null) throw new Error(`not a netmask: ${entry}`);
  return [ipaddr.IPv4.parse(base), bits];
}
