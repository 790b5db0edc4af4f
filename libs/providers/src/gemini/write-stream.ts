import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import type { FinishReason, StreamEvent } from '../conversation/conversation.js';
import type { StreamWriter } from '../conversation/converse.js';
import { dataFrame } from '../stream-fold.js';
import { callOf, candidateOf, toGoogleReason } from './write-reply.js';
import { toGeminiUsage } from './usage.js';

interface Call {
  id: string;
  name: string;
  args: string;
}

interface State {
  id: string;
  model: string;
  /** By answer, then by call. They wait for the end: Google's clients get each call whole. */
  calls: Readonly<Record<number, Readonly<Record<number, Call>>>>;
  /** By answer. Reasons wait for the end, because usage comes after them. */
  finishes: Readonly<Record<number, FinishReason>>;
}

function chunk({ id, model }: State, context: ReplyContext, candidates: JsonObject[], usage?: Usage): string {
  return dataFrame({
    candidates,
    ...(usage && { usageMetadata: toGeminiUsage(usage) }),
    modelVersion: model || context.model,
    responseId: id || context.requestId,
  });
}

/** The part of a piece that is said at once. */
function partOf(event: StreamEvent & { type: 'text' | 'reasoning' | 'image' }): JsonObject {
  if (event.type === 'image') return { inlineData: { mimeType: event.mimeType, data: event.data } };
  return event.type === 'reasoning' ? { text: event.text, thought: true } : { text: event.text };
}

function withCall(state: State, { choice, index }: { choice: number; index: number }, piece: Partial<Call>): State {
  const calls = state.calls[choice] ?? {};
  const { id = '', name = '', args = '' } = calls[index] ?? {};
  const call = { id: id || (piece.id ?? ''), name: name || (piece.name ?? ''), args: args + (piece.args ?? '') };
  return { ...state, calls: { ...state.calls, [choice]: { ...calls, [index]: call } } };
}

/** What an answer ends with: its calls, or an empty text where it has none. */
function lastParts(state: State, choice: number): JsonObject[] {
  const calls = Object.values(state.calls[choice] ?? {});
  return calls.length > 0 ? calls.map(({ id, name, args }) => callOf(id, name, args)) : [{ text: '' }];
}

/** Chunks of `:streamGenerateContent`. */
export const geminiStreamWriter: StreamWriter<State> = {
  initialState: () => ({ id: '', model: '', calls: {}, finishes: {} }),

  write(state, event, context) {
    switch (event.type) {
      case 'start':
        return { state: { ...state, id: event.id || state.id, model: event.model || state.model }, frames: [] };
      case 'tool-call':
        return { state: withCall(state, event, { id: event.id, name: event.name }), frames: [] };
      case 'tool-arguments':
        return { state: withCall(state, event, { args: event.text }), frames: [] };
      case 'finish':
        return { state: { ...state, finishes: { ...state.finishes, [event.choice]: event.reason } }, frames: [] };
      default:
        return { state, frames: [chunk(state, context, [candidateOf(event.choice, [partOf(event)])])] };
    }
  },

  lastFrames(state, context, usage) {
    const choices = new Set([...Object.keys(state.finishes), ...Object.keys(state.calls)].map(Number));
    const ended = [...(choices.size > 0 ? choices : [0])].map((choice) =>
      candidateOf(choice, lastParts(state, choice), toGoogleReason(state.finishes[choice] ?? '')),
    );
    return [chunk(state, context, ended, usage)];
  },
};
