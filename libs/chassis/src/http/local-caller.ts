import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { PlatformRequest } from './caller.js';

/** Headers by which a proxy reveals that it forwards a request. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];
/** A request for any other host comes through a proxy, or from a foreign page whose host name resolves to this machine (DNS rebinding). */
const LOCAL_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/**
 * Whether a request comes from a person at this machine. A proxy on this machine forwards requests of strangers, so its requests count only
 * if it is trusted, and then by the client address it states. HTTP/1.0 is refused, because proxies that send no such header speak it by
 * default and local clients do not.
 */
export function isLocal(request: FastifyRequest): boolean {
  const isForwarded = PROXY_HEADERS.some((name) => request.headers[name] !== undefined);
  const isBelieved = (request.ips?.length ?? 1) > 1;
  if (isForwarded && !isBelieved) return false;
  return request.raw.httpVersion !== '1.0' && LOCAL_NAME.test(request.host) && isLoopback(request.ip);
}

/** As `isLocal`, but prefers the finding of a gateway in front, which has seen the client itself. */
export const isLocalCaller = (request: PlatformRequest): boolean => request.local ?? isLocal(request);
