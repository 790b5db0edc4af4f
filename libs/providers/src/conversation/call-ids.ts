import type { Part, Turn } from './conversation.js';

/** Id of the n-th call of a conversation, for clients that send no ids. */
export const callId = (index: number): string => `call_${index}`;

/**
 * Id of a call for which the upstream stated none; `index` counts the calls of an answer. OpenAI refuses ids of more than 40 characters
 * when a client sends the call back, so dashes of the request id are left out.
 */
export const generatedCallId = (prefix: 'call' | 'toolu', requestId: string, index: number): string =>
  `${prefix}_${requestId.replaceAll('-', '')}${index}`;

/**
 * Gives every call an id, and every result its call's id and name. Gemini's clients send only the tool's name, which refers to the first
 * unanswered call with it; chat and Anthropic clients send only the call's id.
 */
export function pairCalls(turns: Turn[], idOf: (index: number) => string): Turn[] {
  const calls: { id: string; name: string; isAnswered: boolean }[] = [];
  const pair = (part: Part): Part => {
    if (part.type === 'tool-call') {
      const id = part.id || idOf(calls.length);
      calls.push({ id, name: part.name, isAnswered: false });
      return { ...part, id };
    }
    if (part.type !== 'tool-result') return part;
    const call = part.callId
      ? calls.findLast(({ id }) => id === part.callId)
      : calls.find(({ name, isAnswered }) => name === part.name && !isAnswered);
    if (call) call.isAnswered = true;
    return { ...part, callId: part.callId || (call?.id ?? ''), name: part.name || (call?.name ?? '') };
  };
  return turns.map(({ role, parts }) => ({ role, parts: parts.map(pair) }));
}
