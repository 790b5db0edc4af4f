import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import type { Conversation, MediaPart, Part, TextPart } from '../conversation/conversation.js';
import { refusePart } from '../conversation/conversation.js';
import { overridesOf } from '../json/member-rules.js';

// What dialects have in common that know messages of text and little else.

export const refuse = (message: string): never => {
  throw new RequestRejected('invalid_text_request', message);
};

/** Tokens of the answer: what the client asks for, and no more than its quota pays for. */
export function limitOf({ maxTokens }: Conversation, { outputLimit }: ClientRequest): number | undefined {
  const limit = Math.min(maxTokens || Infinity, outputLimit ?? Infinity);
  return Number.isFinite(limit) ? limit : undefined;
}

/** Of chat clients the channel's parameter override is put over a request, in the upstream's names. */
export const overridden = (json: JsonObject, { dialect }: ClientRequest, target: ChannelTarget): JsonObject =>
  dialect === 'openai' ? { ...json, ...Object.fromEntries(overridesOf(target.paramOverride)) } : json;

export const jsonRequest = (url: string, json: JsonObject, isStream: boolean): UpstreamRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', accept: isStream ? 'text/event-stream' : 'application/json' },
  body: Buffer.from(JSON.stringify(json)),
});

/** Lines, one for each text. Refuses what is no text. */
export function textOnly(parts: readonly Part[], upstream: string): string {
  const texts = parts.flatMap((part): string[] => {
    if (part.type === 'text') return part.text === '' ? [] : [part.text];
    // A thought is no part of what was said.
    return part.type === 'thinking'
      ? []
      : [refusePart(part, `${upstream} takes text only: content of type ${part.type}`)];
  });
  return texts.join('\n');
}

export const contentText = (content: readonly (TextPart | MediaPart)[], upstream: string): string =>
  textOnly(content, upstream);

/** Tools for an upstream that has none; a client that calls none of them loses nothing. */
export function refuseTools({ tools, toolChoice }: Conversation, upstream: string): void {
  if (tools.length > 0 && toolChoice?.type !== 'none') refuse(`${upstream} has no tools`);
}

/** Into the range that an upstream takes. */
export const within = (value: number | undefined, min: number, max: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, min), max);

export interface PlainMessage {
  role: string;
  content: string;
}

/** Neighbours of the same role as one, where an upstream wants them in turns; the first is the user's. */
export function alternating(messages: readonly PlainMessage[]): PlainMessage[] {
  const merged: PlainMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role) last.content += `\n${message.content}`;
    else merged.push({ ...message });
  }
  if (merged[0]?.role === 'assistant') merged.unshift({ role: 'user', content: PLACEHOLDER });
  return merged;
}

/** Text of a turn that upstreams do not take empty. */
export const PLACEHOLDER = '...';
