import type { OptionStore } from '../options/option-store.js';
import { AppError } from '../errors/app-error.js';
import {
  addressNotAllowed,
  parseUrl,
  type OutboundClient,
  type OutboundReply,
  type OutboundRequest,
} from './outbound-client.js';

/** A call of an address that a user entered; a body is JSON. */
interface UserCall extends Required<Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'timeoutMs'>> {
  body?: string;
  maxBytes?: number;
  onlyStatus?: boolean;
  signal?: AbortSignal;
}

/**
 * Calls an address that a user entered: directly, or through the operator's worker (option `WorkerUrl`) if one is set, so that the other
 * side does not see this server. The worker gets `{url, key, method, headers, body}`; its answer is the other side's. Redirects are not
 * followed here. Throws an `AppError` as `OutboundClient.send` does; with a worker, addresses without https are refused.
 */
export function callForUser(outbound: OutboundClient, options: OptionStore, call: UserCall): Promise<OutboundReply> {
  const worker = options.get('WorkerUrl');
  if (worker === '') return outbound.send({ kind: 'user', ...call });
  return throughWorker(outbound, { address: `${worker}/`, key: options.get('WorkerValidKey') }, call);
}

/** The target's address is resolved and checked here nevertheless, so that a forbidden one fails in the same way as without a worker. */
async function throughWorker(
  outbound: OutboundClient,
  { address, key }: { address: string; key: string },
  { url, method, headers, body, ...bounds }: UserCall,
): Promise<OutboundReply> {
  const { protocol, hostname } = parseUrl(url);
  if (protocol !== 'https:')
    throw new AppError('invalid', 'address-not-allowed', addressNotAllowed(hostname), { params: { host: hostname } });
  await outbound.addressOf(hostname, 'user');
  const order = { url, key, method, headers, ...(body !== undefined && { body: JSON.parse(body) as unknown }) };
  return outbound.send({
    kind: 'admin',
    method: 'POST',
    url: address,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
    ...bounds,
  });
}
