import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import type { Conversation, MediaPart, Part, TextPart } from '../conversation/conversation.js';
import { refusePart } from '../conversation/conversation.js';
import { overrideFor, overridesOf } from '../json/member-rules.js';

// Helpers for dialects whose messages hold little but text.

export const refuse = (message: string): never => {
  throw new RequestRejected('invalid_text_request', message);
};

/** The output limit: what the client asks for, but no more than the caller's quota covers. */
export function limitOf({ maxTokens }: Conversation, { outputLimit }: ClientRequest): number | undefined {
  const limit = Math.min(maxTokens || Infinity, outputLimit ?? Infinity);
  return Number.isFinite(limit) ? limit : undefined;
}

/** Applies the channel's parameter override, under the upstream's member names. */
export const overridden = (json: JsonObject, request: ClientRequest, target: ChannelTarget): JsonObject => ({
  ...json,
  ...Object.fromEntries(overridesOf(overrideFor(request, target))),
});

export const jsonRequest = (url: string, json: JsonObject, isStream: boolean): UpstreamRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json', accept: isStream ? 'text/event-stream' : 'application/json' },
  body: Buffer.from(JSON.stringify(json)),
});

/** The texts, one per line. Refuses other parts. */
export function textOnly(parts: readonly Part[], upstream: string): string {
  const texts = parts.flatMap((part): string[] => {
    if (part.type === 'text') return part.text === '' ? [] : [part.text];
    // Thoughts are not sent back.
    return part.type === 'thinking'
      ? []
      : [refusePart(part, `${upstream} takes text only: content of type ${part.type}`)];
  });
  return texts.join('\n');
}

export const contentText = (content: readonly (TextPart | MediaPart)[], upstream: string): string =>
  textOnly(content, upstream);

/** Refuses tools for an upstream without them, unless the client does not allow any to be called. */
export function refuseTools({ tools, toolChoice }: Conversation, upstream: string): void {
  if (tools.length > 0 && toolChoice?.type !== 'none') refuse(`${upstream} has no tools`);
}

/** Limits a value to the range that an upstream accepts. */
export const within = (value: number | undefined, min: number, max: number): number | undefined =>
  value === undefined ? undefined : Math.min(Math.max(value, min), max);

export interface PlainMessage {
  role: string;
  content: string;
}

/** Merges consecutive messages of one role, for upstreams that require alternating roles; the first message is the user's. */
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

/** Stands for an empty text, which these upstreams refuse. */
export const PLACEHOLDER = '...';
