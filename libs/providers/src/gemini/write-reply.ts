import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { groundingOf } from '../conversation/citations.js';
import type { Choice, ConversationReply, FinishReason, Part } from '../conversation/conversation.js';
import { citationsOf, joined } from '../conversation/conversation.js';
import { parseObject } from '../json/json.js';
import { toGeminiUsage } from './usage.js';

const REASONS: Readonly<Record<string, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  function_call: 'STOP',
  length: 'MAX_TOKENS',
  max_tokens: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

/** Google's clients accept a fixed list of finish reasons only. */
export const toGoogleReason = (reason: FinishReason): string => (reason === '' ? 'STOP' : (REASONS[reason] ?? 'OTHER'));

export const callOf = (id: string, name: string, args: string): JsonObject => ({
  functionCall: { ...(id && { id }), name, args: parseObject(args || '{}') ?? {} },
});

function partOf(part: Part): JsonObject[] {
  if (part.type === 'text') return [{ text: part.text }];
  if (part.type === 'thinking') return [{ text: part.text, thought: true }];
  if (part.type === 'tool-call') return [callOf(part.id, part.name, part.arguments)];
  return part.type === 'image' && 'data' in part.source ? [{ inlineData: { ...part.source } }] : [];
}

export const candidateOf = (index: number, parts: JsonObject[], finishReason?: string): JsonObject => ({
  content: { role: 'model', parts },
  ...(finishReason !== undefined && { finishReason }),
  index,
});

const choiceOf = ({ parts, finish }: Choice, index: number): JsonObject => ({
  ...candidateOf(index, parts.flatMap(partOf), toGoogleReason(finish)),
  ...groundingOf(citationsOf(parts), joined(parts, 'text')),
});

/** Writes a reply of `:generateContent`. */
export const writeGeminiReply = (
  { id, model, choices }: ConversationReply,
  usage: Usage | undefined,
  context: ReplyContext,
): JsonObject => ({
  candidates: choices.map(choiceOf),
  ...(usage && { usageMetadata: toGeminiUsage(usage) }),
  modelVersion: model || context.model,
  responseId: id || context.requestId,
});
