import type {
  ChannelTarget,
  ClientRequest,
  Json,
  PlainAdapter,
  Reply,
  ReplyContext,
  SpeechAdapter,
} from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { parseObject } from '../json/json.js';
import { replaceMembers } from '../json/replace-members.js';
import { noText } from '../stream/transcript.js';
import { ByteStream } from './byte-stream.js';
import { MediaEvents } from './media-events.js';
import { type Edits, type Quirks, type Tweak, addressOf } from './quirks.js';
import { headersOf } from './request.js';

interface PlainRequest {
  quirks: Quirks;
  path: string;
  /** Model for requests without one, if the channel maps none. */
  unnamed?: string;
  tweaks?: readonly Tweak[];
}

/** The client's bytes with the model replaced by the channel's name for it. */
export const plainRequest =
  ({ quirks, path, unnamed, tweaks = [] }: PlainRequest) =>
  (request: ClientRequest, target: ChannelTarget) => {
    const { json, bytes } = request;
    const edits: Edits = new Map<string, Json | undefined>();
    const isUnnamed = (json.model ?? '') === '' && target.model === target.requestedModel;
    const model = isUnnamed ? (unnamed ?? target.model) : target.model;
    if (json.model !== model) edits.set('model', model);
    for (const tweak of tweaks) tweak(json, edits);
    return {
      method: 'POST' as const,
      url: addressOf(target, quirks, path, request),
      headers: headersOf(target, quirks, false),
      body: replaceMembers(bytes, edits),
    };
  };

/** A moderation result; such replies state no usage. */
function moderationReply(body: Buffer, { secrets }: ReplyContext): Reply {
  const json = parseObject(body.toString('utf8'));
  const fault = json ? findFault(json, secrets) : unreadableReply;
  const isUsable = Array.isArray(json?.results) && !fault;
  return { body, usage: undefined, ...(!isUsable && { fault: fault ?? unreadableReply }), text: () => noText };
}

export const openAiModerations = (quirks: Quirks): PlainAdapter => ({
  toUpstream: plainRequest({ quirks, path: '/v1/moderations', unnamed: 'text-moderation-latest' }),
  fromReply: moderationReply,
});

/** JSON or a page in place of audio is an error, whatever its status. */
function noSound(body: Buffer, { secrets }: ReplyContext): Reply {
  const json = parseObject(body.toString('utf8'));
  return { body, usage: undefined, fault: (json && findFault(json, secrets)) ?? unreadableReply, text: () => noText };
}

export const openAiSpeech = (quirks: Quirks): SpeechAdapter => {
  const toUpstream = plainRequest({ quirks, path: '/v1/audio/speech' });
  return {
    toUpstream(request, target) {
      const outgoing = toUpstream(request, target);
      return { ...outgoing, headers: { ...outgoing.headers, accept: '*/*' } };
    },
    fromReply: noSound,
    openBytes: () => new ByteStream(),
    // Speech is charged by its input text, so stated usage is ignored.
    openStream: (context) =>
      new MediaEvents(context, { isLast: (type) => type === 'speech.audio.done', usageOf: () => undefined }),
  };
};
