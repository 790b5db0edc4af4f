import type { ChannelTarget, ClientRequest, UpstreamRequest } from '../adapter.js';
import type { Conversation } from '../conversation/conversation.js';
import { objectOf } from '../json/json.js';
import { overrideFor, overridesOf } from '../json/member-rules.js';
import { replaceMembers } from '../json/replace-members.js';
import { geminiMembers, modelUrl } from './settings.js';
import { writeGeminiRequest } from './write-request.js';

export const headersOf = ({ key }: ChannelTarget, isStream = false): Record<string, string> => ({
  'content-type': 'application/json',
  accept: isStream ? 'text/event-stream' : 'application/json',
  'x-goog-api-key': key,
});

const upstreamRequest = (target: ChannelTarget, isStream: boolean, body: Buffer): UpstreamRequest => ({
  method: 'POST',
  url: modelUrl(target, isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
  headers: headersOf(target, isStream),
  body,
});

/** The client's own bytes, with limit and thinking replaced where needed. */
export const geminiToUpstream = (request: ClientRequest, target: ChannelTarget): UpstreamRequest =>
  upstreamRequest(
    target,
    request.isStream === true,
    replaceMembers(request.bytes, geminiMembers(request.json, target, request.outputLimit)),
  );

/**
 * Writes a conversation in Gemini's dialect. The channel's parameter override is applied under Gemini's member names; the limit of the
 * caller's quota is applied last.
 */
export function conversationToUpstream(
  conversation: Conversation,
  request: ClientRequest,
  target: ChannelTarget,
): UpstreamRequest {
  const override = Object.fromEntries(overridesOf(overrideFor(request, target)));
  const written = writeGeminiRequest(conversation, target);
  const config = { ...objectOf(written.generationConfig), ...objectOf(override.generationConfig) };
  const json = { ...written, ...override, ...(Object.keys(config).length > 0 && { generationConfig: config }) };
  const members = Object.fromEntries(geminiMembers(json, target, request.outputLimit));
  return upstreamRequest(target, conversation.stream === true, Buffer.from(JSON.stringify({ ...json, ...members })));
}
