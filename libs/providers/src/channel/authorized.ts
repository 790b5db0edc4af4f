import type { UpstreamTokenSource, ChannelTarget, Provider, UpstreamRequest } from '../adapter.js';

/** The request with its authentication added. It must not be changed afterwards. */
export async function authorized(
  { authorize }: Pick<Provider, 'authorize'>,
  request: UpstreamRequest,
  target: ChannelTarget,
  tokens: UpstreamTokenSource,
): Promise<UpstreamRequest> {
  if (!authorize) return request;
  const { headers, query, grant } = await authorize(request, target, tokens);
  return {
    ...request,
    headers: { ...request.headers, ...headers },
    ...(query && { url: withQuery(request.url, query) }),
    ...(grant !== undefined && { grant }),
  };
}

function withQuery(url: string, query: Record<string, string>): string {
  return `${url}${url.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
}
