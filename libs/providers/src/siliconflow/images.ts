import type { ImagesAdapter, JsonObject } from '../adapter.js';
import { numberOf } from '../conversation/conversation.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { type Quirks, urlOf } from '../openai-compatible/quirks.js';
import { headersOf } from '../openai-compatible/request.js';
import { noPictures, picturesReply } from '../pictures/reply.js';
import { statedSize } from '../pictures/size.js';
import { replaceMembers } from '../json/replace-members.js';

const DEFAULT_SIZE = '1024x1024';

/** Members that SiliconFlow names differently; its own members are passed on. */
function editsFor(json: JsonObject, model: string): Map<string, JsonObject[string]> {
  return new Map<string, JsonObject[string]>([
    ['model', model],
    ['size', undefined],
    ['n', undefined],
    ['quality', undefined],
    ['style', undefined],
    ['response_format', undefined],
    ['image_size', statedSize(json) || DEFAULT_SIZE],
    ['batch_size', numberOf(json.n) || 1],
  ]);
}

/** Pictures of SiliconFlow, returned as URLs. */
export const siliconFlowImages = (quirks: Quirks): ImagesAdapter => ({
  toUpstream: ({ json, bytes }, target) => ({
    method: 'POST',
    url: urlOf(target, quirks, '/v1/images/generations'),
    headers: headersOf(target, quirks, false),
    body: replaceMembers(bytes, editsFor(json, target.model)),
  }),

  fromReply(body, context) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? findFault(json, context.secrets) : unreadableReply;
    const pictures = arrayOf(json?.images ?? json?.data)
      .map(objectOf)
      .filter(({ url }) => textOf(url) !== '');
    if (!json || fault || pictures.length === 0) return noPictures(body, fault ?? unreadableReply);
    return picturesReply(
      pictures.map(({ url }) => ({ url })),
      context,
    );
  },
});
