import type { ChannelTarget, Provider, UpstreamRequest } from './adapter.js';

/** The request with what proves who sends it. Nothing of it may change afterwards. */
export async function authorized(
  { authorize }: Pick<Provider, 'authorize'>,
  request: UpstreamRequest,
  target: ChannelTarget,
): Promise<UpstreamRequest> {
  if (!authorize) return request;
  return { ...request, headers: { ...request.headers, ...(await authorize(request, target)) } };
}
