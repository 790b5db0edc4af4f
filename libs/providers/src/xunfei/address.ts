import { createHmac } from 'node:crypto';
import { type ChannelTarget, ChannelUnusable } from '../adapter.js';
import { channelUrl } from '../channel/channel-url.js';

const DEFAULT_BASE_URL = 'wss://spark-api.xf-yun.com';
const DEFAULT_VERSION = 'v1.1';
const VERSION = /^v\d{1,2}(?:\.\d{1,2})?$/;

interface SparkKey {
  appId: string;
  secret: string;
  key: string;
}

/** Throws `ChannelUnusable` for a key that is not `APPID|APISecret|APIKey`. */
export function sparkKeyOf(text: string): SparkKey {
  const [appId = '', secret = '', key = '', ...rest] = text.split('|').map((part) => part.trim());
  if (appId === '' || secret === '' || key === '' || rest.length > 0)
    throw new ChannelUnusable('channel:invalid_key', 'invalid xunfei key: it is not APPID|APISecret|APIKey');
  return { appId, secret, key };
}

/** The API version: the client's, else by the model's name, else the channel's. */
export function versionOf({ model, other }: ChannelTarget, requested: string | undefined): string {
  const named = model.slice(model.lastIndexOf('-') + 1);
  return [requested, named, other.trim()].find((version) => version && VERSION.test(version)) ?? DEFAULT_VERSION;
}

const domains: Readonly<Record<string, string>> = {
  'v1.1': 'lite',
  'v2.1': 'generalv2',
  'v3.1': 'generalv3',
  'v3.5': 'generalv3.5',
  'v4.0': '4.0Ultra',
};

export const domainOf = (version: string): string => domains[version] ?? `general${version}`;

/** Whether the version has a system role. */
export const knowsSystem = (version: string): boolean => version === 'v3.5' || version === 'v4.0';

export const sparkUrl = ({ baseUrl }: ChannelTarget, version: string): string =>
  `${(baseUrl || DEFAULT_BASE_URL).replace(/^http/, 'ws').replace(/\/+$/, '')}/${version}/chat`;

/** The query that signs host, time and path; https://www.xfyun.cn/doc/spark/general_url_authentication.html. */
export function sparkProof(url: string, { secret, key }: SparkKey, nowMs: number): Record<string, string> {
  const { host, pathname } = channelUrl(url);
  const date = new Date(nowMs).toUTCString();
  const signature = createHmac('sha256', secret)
    .update(`host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`)
    .digest('base64');
  const words = `hmac username="${key}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  return { host, date, authorization: Buffer.from(words).toString('base64') };
}
