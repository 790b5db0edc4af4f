import { createHash } from 'node:crypto';
import {
  type AccessToken,
  type ChannelTarget,
  ChannelUnusable,
  TOKEN_REFUSED,
  type TokenExchange,
} from '../adapter.js';
import { parseObject, textOf } from '../json/json.js';

const DEFAULT_BASE_URL = 'https://aip.baidubce.com';
const WORKSHOP = '/rpc/2.0/ai_custom/v1/wenxinworkshop';
const DEFAULT_LIFETIME_SECONDS = 30 * 24 * 3600;

/** Last part of the path for models where it is not the model name in lower case. */
const places: Readonly<Record<string, string>> = {
  'ERNIE-4.0': 'completions_pro',
  'ERNIE-Bot-4': 'completions_pro',
  'ERNIE-4.0-8K': 'completions_pro',
  'ERNIE-Bot': 'completions',
  'ERNIE-3.5-8K': 'completions',
  'ERNIE-Bot-turbo': 'eb-instant',
  'ERNIE-Lite-8K-0922': 'eb-instant',
  'ERNIE-Lite-8K-0308': 'ernie-lite-8k',
  'ERNIE-Speed': 'ernie_speed',
  'ERNIE-Speed-8K': 'ernie_speed',
  'ERNIE-Bot-8K': 'ernie_bot_8k',
  'BLOOMZ-7B': 'bloomz_7b1',
  'bge-large-zh': 'bge_large_zh',
  'bge-large-en': 'bge_large_en',
  'tao-8k': 'tao_8k',
};

const baseOf = ({ baseUrl }: ChannelTarget): string => (baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, '');

export function baiduUrl(target: ChannelTarget, kind: 'chat' | 'embeddings'): string {
  const { model } = target;
  const place = Object.hasOwn(places, model) ? (places[model] ?? '') : model.toLowerCase();
  return `${baseOf(target)}${WORKSHOP}/${kind}/${encodeURIComponent(place)}`;
}

function tokenIn({ status, body }: { status: number; body: Buffer }): AccessToken {
  const json = parseObject(body.toString('utf8')) ?? {};
  const token = textOf(json.access_token);
  if (token !== '') {
    const seconds = Number(json.expires_in);
    return { token, lifetimeMs: (seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS) * 1000 };
  }
  const words = textOf(json.error_description) || textOf(json.error) || `status ${status}`;
  const isRefused = json.error === 'invalid_client' || status === 401;
  throw new ChannelUnusable(
    isRefused ? TOKEN_REFUSED : 'channel:no_token',
    `no access token for the key: ${words}`,
    isRefused ? 'credential' : 'upstream',
  );
}

/** Exchanges `APIKey|SecretKey` for a token, per the documentation of Baidu's OAuth. Throws `ChannelUnusable` for a malformed key. */
export function baiduToken(target: ChannelTarget): TokenExchange {
  const [id = '', secret = '', ...rest] = target.key.split('|').map((part) => part.trim());
  if (id === '' || secret === '' || rest.length > 0)
    throw new ChannelUnusable('channel:invalid_key', 'invalid baidu key: it is not APIKey|SecretKey');
  const { proxy } = target.setting;
  const query = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const sum = createHash('sha256').update(JSON.stringify(['baidu', target.key, baseOf(target), proxy]));
  return {
    id: sum.digest('base64url'),
    proxy: typeof proxy === 'string' ? proxy : '',
    buildRequest: async () => ({
      method: 'POST',
      url: `${baseOf(target)}/oauth/2.0/token?${query.toString()}`,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    }),
    read: tokenIn,
  };
}
