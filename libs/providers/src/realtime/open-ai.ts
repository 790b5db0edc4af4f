import type { ChannelTarget, ClientRequest, RealtimeAdapter } from '../adapter.js';

const KEY_PROTOCOL = 'openai-insecure-api-key.';
const BETA_PROTOCOL = 'openai-beta.realtime-v1';
const BETA_HEADER = 'realtime=v1';
/** Characters allowed in the name of a subprotocol. */
const PROTOCOL = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const headerOf = (value: string | string[] | undefined): string => [value ?? []].flat().join(',');

const protocolsOf = ({ headers }: Pick<ClientRequest, 'headers'>): string[] =>
  headerOf(headers['sec-websocket-protocol'])
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** Events of the beta API differ from later ones. The beta is used if the client requests it or the model supports nothing else. */
function wantsBeta(request: Pick<ClientRequest, 'headers'>, { model }: ChannelTarget): boolean {
  const isRequested = headerOf(request.headers['openai-beta']).includes(BETA_HEADER);
  return isRequested || protocolsOf(request).includes(BETA_PROTOCOL) || model.includes('realtime-preview');
}

/** The key is sent where the client sent its own: in the subprotocols or in a header. */
function credentials(request: Pick<ClientRequest, 'headers'>, target: ChannelTarget): Record<string, string> {
  const isBeta = wantsBeta(request, target);
  const key = KEY_PROTOCOL + target.key;
  if (protocolsOf(request).length > 0 && PROTOCOL.test(key)) {
    return { 'sec-websocket-protocol': ['realtime', key, ...(isBeta ? [BETA_PROTOCOL] : [])].join(', ') };
  }
  return { authorization: `Bearer ${target.key}`, ...(isBeta && { 'openai-beta': BETA_HEADER }) };
}

const socketUrl = (url: string): string => url.replace(/^http/, 'ws');

interface RealtimeQuirks {
  url(target: ChannelTarget): string;
  headers?(target: ChannelTarget): Record<string, string>;
}

/** OpenAI's realtime API over a WebSocket; `url` has no query. */
export const openAiRealtime = ({ url, headers }: RealtimeQuirks): RealtimeAdapter => ({
  toUpstream: (request, target) => ({
    url: socketUrl(`${url(target)}?model=${encodeURIComponent(target.model)}`),
    headers: { ...headers?.(target), ...credentials(request, target) },
  }),
});

/** Azure's realtime API, with the key in its own header and the deployment in place of the model; `url` is the complete address. */
export const azureRealtime = (
  url: (target: ChannelTarget, request: Pick<ClientRequest, 'apiVersion'>) => string,
): RealtimeAdapter => ({
  toUpstream: (request, target) => ({ url: socketUrl(url(target, request)), headers: { 'api-key': target.key } }),
});
