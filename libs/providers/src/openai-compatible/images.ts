import type { Usage } from '@tollgate/contracts';
import type { ChannelTarget, ClientRequest, ImagesAdapter, Json, JsonObject, Reply, ReplyContext } from '../adapter.js';
import { findFault, unreadableReply } from '../faults.js';
import { isObject, parseObject } from '../json.js';
import { replaceMembers } from '../replace-members.js';
import { noText } from '../transcript.js';
import { openAiUsage } from '../usage.js';
import { type Edits, type Quirks, urlOf } from './quirks.js';
import { headersOf } from './request.js';

/** What is asked for where the client names no model, and its channel maps none. */
const UNNAMED_MODEL = 'dall-e-2';
/** A size that stands for none: some upstreams refuse the member. */
const NO_SIZE = 'empty';

function editsFor({ json }: ClientRequest, target: ChannelTarget): Edits {
  const edits: Edits = new Map<string, Json | undefined>();
  const isUnnamed = (json.model ?? '') === '' && target.model === target.requestedModel;
  const model = isUnnamed ? UNNAMED_MODEL : target.model;
  if (json.model !== model) edits.set('model', model);
  if (json.size === NO_SIZE) edits.set('size', undefined);
  return edits;
}

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

/** Pictures of an upstream of OpenAI's dialect. */
export const openAiImages = (quirks: Quirks): ImagesAdapter => ({
  toUpstream(request, target) {
    const path = quirks.imagesPath ?? '/v1/images/generations';
    const edits = editsFor(request, target);
    for (const tweak of quirks.imageTweaks ?? []) tweak(request.json, edits);
    return {
      method: 'POST',
      url: quirks.url?.(target, path, request) ?? urlOf(target, quirks, path),
      headers: headersOf(target, quirks, request.json.stream === true),
      body: replaceMembers(request.bytes, edits),
    };
  },
  fromReply: imagesReply,
});
