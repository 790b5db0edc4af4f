import type { Usage } from '@tollgate/contracts';
import type { ImagesAdapter, JsonObject, Reply, ReplyContext, UploadAdapter } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { isObject, parseObject } from '../json/json.js';
import { noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';
import { formRequest } from './form.js';
import { MediaEvents } from './media-events.js';
import { plainRequest } from './plain.js';
import type { Quirks, Tweak } from './quirks.js';

/** What is asked for where the client names no model, and its channel maps none. */
const UNNAMED_MODEL = 'dall-e-2';
/** A size that stands for none: some upstreams refuse the member. */
const NO_SIZE = 'empty';

const dropNoSize: Tweak = (json, edits) => {
  if (json.size === NO_SIZE) edits.set('size', undefined);
};

/** None at all means one. */
const oneAtLeast: Tweak = (json, edits) => {
  if (json.n === 0) edits.set('n', 1);
};

/** Tokens of pictures; servers that count none often state zero. */
function usageOf(value: unknown): Usage | undefined {
  const usage = openAiUsage(value);
  const isNothing = usage && usage.inputTokens + (usage.imageInputTokens ?? 0) + usage.outputTokens === 0;
  return isNothing ? undefined : usage;
}

/** Pictures as data or addresses: the upstream's own bytes. */
export function imagesReply(body: Buffer, { secrets }: ReplyContext): Reply {
  const json: JsonObject | undefined = parseObject(body.toString('utf8'));
  const fault = json ? findFault(json, secrets) : unreadableReply;
  const isList = Array.isArray(json?.data) && json.data.some(isObject);
  if (!json || fault || !isList) return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  return { body, usage: usageOf(json.usage), text: () => noText };
}

const openEvents = (context: ReplyContext): MediaEvents =>
  new MediaEvents(context, {
    isLast: (type) => /^image_\w+\.completed$/.test(type),
    usageOf: ({ usage }) => usageOf(usage),
  });

/** Pictures of an upstream of OpenAI's dialect. */
export function openAiImages(quirks: Quirks): ImagesAdapter {
  const path = quirks.imagesPath ?? '/v1/images/generations';
  const tweaks = [dropNoSize, oneAtLeast, ...(quirks.imageTweaks ?? [])];
  const toUpstream = plainRequest({ quirks, path, unnamed: UNNAMED_MODEL, tweaks });
  return {
    toUpstream(request, target) {
      const asked = toUpstream(request, target);
      const accept = request.json.stream === true ? 'text/event-stream' : 'application/json';
      return { ...asked, headers: { ...asked.headers, accept } };
    },
    fromReply: imagesReply,
    openStream: openEvents,
  };
}

/** Pictures out of pictures: the client's form with the model's name in it that the channel has. */
export const openAiImageEdits = (quirks: Quirks): UploadAdapter => ({
  toUpstream: formRequest(quirks, '/v1/images/edits'),
  fromReply: imagesReply,
  openStream: openEvents,
});
