import { createHash, createHmac } from 'node:crypto';
import { type ChannelTarget, ChannelUnusable, type UpstreamRequest } from '../adapter.js';

const SERVICE = 'hunyuan';
/** This host is signed whatever the channel's address is, because a gateway in between forwards to it. */
const HOST = 'hunyuan.tencentcloudapi.com';
const ACTION = 'ChatCompletions';
const VERSION = '2023-09-01';
const ALGORITHM = 'TC3-HMAC-SHA256';
const SIGNED = 'content-type;host;x-tc-action';

const hash = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** Throws `ChannelUnusable` for a key that is not `AppId|SecretId|SecretKey`. */
function keyOf(key: string): { id: string; secret: string } {
  const [appId = '', id = '', secret = '', ...rest] = key.split('|').map((part) => part.trim());
  if (appId === '' || id === '' || secret === '' || rest.length > 0)
    throw new ChannelUnusable('channel:invalid_key', 'invalid tencent key: it is not AppId|SecretId|SecretKey');
  return { id, secret };
}

/** Tencent Cloud's signature, version 3; https://cloud.tencent.com/document/api/1729/101843. */
export function tencentHeaders(
  { headers, body = Buffer.alloc(0) }: UpstreamRequest,
  target: ChannelTarget,
): Record<string, string> {
  const { id, secret } = keyOf(target.key);
  const seconds = String(Math.floor(target.nowMs / 1000));
  const day = new Date(target.nowMs).toISOString().slice(0, 10);
  const named = [
    `content-type:${headers['content-type'] ?? ''}`,
    `host:${HOST}`,
    `x-tc-action:${ACTION.toLowerCase()}`,
  ];
  const canonical = ['POST', '/', '', ...named, '', SIGNED, hash(body)].join('\n');
  const scope = `${day}/${SERVICE}/tc3_request`;
  const text = [ALGORITHM, seconds, scope, hash(canonical)].join('\n');
  const key = [SERVICE, 'tc3_request'].reduce<Buffer>(hmac, hmac(`TC3${secret}`, day));
  const signature = hmac(key, text).toString('hex');
  return {
    authorization: `${ALGORITHM} Credential=${id}/${scope}, SignedHeaders=${SIGNED}, Signature=${signature}`,
    'x-tc-action': ACTION,
    'x-tc-version': VERSION,
    'x-tc-timestamp': seconds,
  };
}
