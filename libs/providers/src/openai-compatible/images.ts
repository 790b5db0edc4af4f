import type { Usage } from '@tollgate/contracts';
import type { ImagesAdapter, Json, JsonObject, Reply, ReplyContext, UploadAdapter } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { isObject, parseObject, textOf } from '../json/json.js';
import { NO_SIZE } from '../pictures/size.js';
import { noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';
import { formRequest } from './form.js';
import { MediaEvents } from './media-events.js';
import { plainRequest } from './plain.js';
import type { Quirks, Tweak } from './quirks.js';

/** Model for requests without one, if the channel maps none. */
const UNNAMED_MODEL = 'dall-e-2';
/** For bodies in JSON, and for forms. */
const dropNoSize = (json: JsonObject, edits: { set(name: string, value: undefined): unknown }): void => {
  if (json.size === NO_SIZE) edits.set('size', undefined);
};

const isUnstated = (value: Json | undefined): boolean => value === undefined || value === null || value === '';

/** OpenAI's models that choose the size by the prompt and are charged by their tokens. */
const CHOOSES_SIZE = /gpt-image/i;
const QUALITY_MODEL = 'dall-e-3';

/**
 * States what the price of the pictures assumes where the client does not state it, since upstreams differ in what they take for usual. A
 * count of 0 means one picture.
 */
const stateUsual: Tweak = (json, edits) => {
  if (isUnstated(json.n) || json.n === 0) edits.set('n', 1);
  if (isUnstated(json.size) && !CHOOSES_SIZE.test(textOf(edits.get('model') ?? json.model)))
    edits.set('size', '1024x1024');
  if (isUnstated(json.quality) && json.model === QUALITY_MODEL) edits.set('quality', 'standard');
};

/** Token usage of pictures. Servers that count no tokens often state zeros, which are ignored. */
function usageOf(value: unknown): Usage | undefined {
  const usage = openAiUsage(value);
  const isNothing = usage && usage.inputTokens + (usage.imageInputTokens ?? 0) + usage.outputTokens === 0;
  return isNothing ? undefined : usage;
}

/** Reads a list of pictures, as data or URLs. The client gets the upstream's bytes. */
function imagesReply(body: Buffer, { secrets }: ReplyContext): Reply {
  const json: JsonObject | undefined = parseObject(body.toString('utf8'));
  const fault = json ? findFault(json, secrets) : unreadableReply;
  const isList = Array.isArray(json?.data) && json.data.some(isObject);
  if (!json || fault || !isList) return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  return { body, usage: usageOf(json.usage), text: () => noText };
}

/** Number of pictures asked for; a form has it as text. */
function picturesAsked({ request }: ReplyContext): number {
  const n = Number(request?.n ?? 1);
  return Number.isInteger(n) && n > 0 ? n : 1;
}

const openEvents = (context: ReplyContext): MediaEvents =>
  new MediaEvents(context, {
    pieces: picturesAsked(context),
    isLast: (type) => /^image_\w+\.completed$/.test(type),
    usageOf: ({ usage }) => usageOf(usage),
  });

/** Image generation at OpenAI-compatible upstreams. */
export function openAiImages(quirks: Quirks): ImagesAdapter {
  const path = '/v1/images/generations';
  const tweaks = [dropNoSize, stateUsual, ...(quirks.imageTweaks ?? [])];
  const toUpstream = plainRequest({ quirks, path, unnamed: UNNAMED_MODEL, tweaks });
  return {
    toUpstream(request, target) {
      const outgoing = toUpstream(request, target);
      const accept = request.json.stream === true ? 'text/event-stream' : 'application/json';
      return { ...outgoing, headers: { ...outgoing.headers, accept } };
    },
    fromReply: imagesReply,
    openStream: openEvents,
  };
}

/** Image edits: the client's form with the model replaced by the channel's name for it. */
export const openAiImageEdits = (quirks: Quirks): UploadAdapter => ({
  toUpstream: formRequest(quirks, '/v1/images/edits', [dropNoSize]),
  fromReply: imagesReply,
  openStream: openEvents,
});
