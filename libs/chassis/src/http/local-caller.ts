import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { PlatformRequest } from './caller.js';

/** Headers by which a proxy says that it asks for somebody else. */
const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];
/** Whoever asks for another name is a page elsewhere whose name was led to this machine, or a proxy. */
const LOCAL_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';

/**
 * Whether a request comes from a person at this machine. A proxy that runs here passes on what strangers send, so it counts
 * only where its word is trusted, and then by the address it names. Such proxies speak HTTP/1.0 when nobody tells them
 * otherwise, and no local client does.
 */
export function isLocal(request: FastifyRequest): boolean {
  const isForwarded = PROXY_HEADERS.some((name) => request.headers[name] !== undefined);
  const isBelieved = (request.ips?.length ?? 1) > 1;
  if (isForwarded && !isBelieved) return false;
  return request.raw.httpVersion !== '1.0' && LOCAL_NAME.test(request.host) && isLoopback(request.ip);
}

/** The same behind a gateway, which has seen the client itself. */
export const isLocalCaller = (request: PlatformRequest): boolean => request.local ?? isLocal(request);
