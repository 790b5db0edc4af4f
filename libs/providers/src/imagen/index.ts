import type { ImagesAdapter, JsonObject, UpstreamFault } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { numberOf } from '../conversation/conversation.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { headersOf } from '../gemini/request.js';
import { modelUrl, upstreamModel } from '../gemini/settings.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { noPictures, picturesReply } from '../pictures/reply.js';

/** Supported aspect ratios, as width divided by height. */
const SHAPES: readonly [string, number][] = [
  ['1:1', 1],
  ['3:4', 3 / 4],
  ['4:3', 4 / 3],
  ['9:16', 9 / 16],
  ['16:9', 16 / 9],
];

/** The supported aspect ratio closest to a size. */
export function shapeOf(size: string): string {
  const [width = 1, height = 1] = size.split(/[x*]/).map(Number);
  const wanted = width > 0 && height > 0 ? width / height : 1;
  const distance = (ratio: number): number => Math.abs(Math.log(ratio / wanted));
  return SHAPES.reduce((best, next) => (distance(next[1]) < distance(best[1]) ? next : best), ['1:1', 1])[0];
}

const filtered = (reason: string): UpstreamFault => ({
  class: 'invalid',
  message: reason || 'the pictures were withheld by the upstream',
  type: 'invalid_request_error',
  code: 'no_images',
});

/** Google's image models: `:predict`, which returns base64 pictures only. */
export const imagen: ImagesAdapter = {
  toUpstream({ json }, target) {
    if (!upstreamModel(target).startsWith('imagen'))
      throw new RequestRejected('invalid_image_request', `${target.model} is no model of Gemini that draws by itself`);
    if (json.response_format === 'url')
      throw new RequestRejected('invalid_image_request', 'Imagen gives pictures as b64_json only');
    const parameters: JsonObject = {
      sampleCount: numberOf(json.n) || 1,
      aspectRatio: shapeOf(textOf(json.size)),
      personGeneration: 'allow_adult',
    };
    return {
      method: 'POST',
      url: modelUrl(target, 'predict'),
      headers: headersOf(target),
      body: Buffer.from(JSON.stringify({ instances: [{ prompt: json.prompt }], parameters })),
    };
  },

  fromReply(body, context) {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? findFault(json, context.secrets) : unreadableReply;
    if (!json || fault) return noPictures(body, fault ?? unreadableReply);
    const predictions = arrayOf(json.predictions).map(objectOf);
    const pictures = predictions.filter(({ bytesBase64Encoded }) => textOf(bytesBase64Encoded) !== '');
    if (pictures.length === 0) {
      const reason = predictions.map(({ raiFilteredReason }) => textOf(raiFilteredReason)).find(Boolean) ?? '';
      return noPictures(body, filtered(reason));
    }
    return picturesReply(
      pictures.map(({ bytesBase64Encoded }) => ({ b64_json: bytesBase64Encoded })),
      context,
    );
  },
};
