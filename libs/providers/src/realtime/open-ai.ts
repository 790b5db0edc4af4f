import type { ChannelTarget, ClientRequest, RealtimeAdapter } from '../adapter.js';

const KEY_PROTOCOL = 'openai-insecure-api-key.';
const BETA_PROTOCOL = 'openai-beta.realtime-v1';
const BETA_HEADER = 'realtime=v1';
/** What may be the name of a protocol. */
const PROTOCOL = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const headerOf = (value: string | string[] | undefined): string => [value ?? []].flat().join(',');

const protocolsOf = ({ headers }: Pick<ClientRequest, 'headers'>): string[] =>
  headerOf(headers['sec-websocket-protocol'])
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** The events of the beta differ from the later ones: whoever asks for them gets them, and the models that know nothing else. */
function wantsBeta(request: Pick<ClientRequest, 'headers'>, { model }: ChannelTarget): boolean {
  const asked = headerOf(request.headers['openai-beta']).includes(BETA_HEADER);
  return asked || protocolsOf(request).includes(BETA_PROTOCOL) || model.includes('realtime-preview');
}

/** The key goes where the client's came from: into the protocols, or into a header. */
function credentials(request: Pick<ClientRequest, 'headers'>, target: ChannelTarget): Record<string, string> {
  const isBeta = wantsBeta(request, target);
  const key = KEY_PROTOCOL + target.key;
  if (protocolsOf(request).length > 0 && PROTOCOL.test(key)) {
    return { 'sec-websocket-protocol': ['realtime', key, ...(isBeta ? [BETA_PROTOCOL] : [])].join(', ') };
  }
  return { authorization: `Bearer ${target.key}`, ...(isBeta && { 'openai-beta': BETA_HEADER }) };
}

const socketUrl = (url: string): string => url.replace(/^http/, 'ws');

export interface RealtimeQuirks {
  url(target: ChannelTarget): string;
  headers?(target: ChannelTarget): Record<string, string>;
}

/** OpenAI's realtime over a web socket; `url` is without the query. */
export const openAiRealtime = ({ url, headers }: RealtimeQuirks): RealtimeAdapter => ({
  toUpstream: (request, target) => ({
    url: socketUrl(`${url(target)}?model=${encodeURIComponent(target.model)}`),
    headers: { ...headers?.(target), ...credentials(request, target) },
  }),
});

/** The same at Azure, which takes its key in a header of its own and calls a model by its deployment; `url` is the whole address. */
export const azureRealtime = (
  url: (target: ChannelTarget, request: Pick<ClientRequest, 'apiVersion'>) => string,
): RealtimeAdapter => ({
  toUpstream: (request, target) => ({ url: socketUrl(url(target, request)), headers: { 'api-key': target.key } }),
});
