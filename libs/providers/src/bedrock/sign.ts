import aws4 from 'aws4';
import type { ChannelTarget, UpstreamRequest } from '../adapter.js';
import { channelUrl } from '../channel/channel-url.js';
import { awsKeyOf } from './address.js';

const SERVICE = 'bedrock';

/** AWS Signature Version 4 over method, path, host, time, content type and body; none of these may change afterwards. */
export function signed({ method, url, headers, body }: UpstreamRequest, target: ChannelTarget): Record<string, string> {
  const { region, ...credentials } = awsKeyOf(target.key);
  const { host, pathname, search } = channelUrl(url);
  const request = {
    ...{ service: SERVICE, region, method, host, path: pathname + search, ...(body && { body }) },
    headers: {
      host,
      'content-type': headers['content-type'] ?? '',
      'x-amz-date': new Date(target.nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    },
  };
  const { headers: proofs = {} } = aws4.sign(request, credentials);
  return { 'x-amz-date': String(proofs['x-amz-date']), authorization: String(proofs.Authorization) };
}
