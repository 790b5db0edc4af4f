import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext } from '../adapter.js';
import { type Citation, groundingOf, sizeOfCitation } from '../conversation/citations.js';
import type { FinishReason, StreamEvent } from '../conversation/conversation.js';
import type { StreamWriter } from '../conversation/converse.js';
import { dataFrame } from '../stream/stream-fold.js';
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
  /** Calls by answer and index, in mutable maps. Held until the end, because Google's clients expect each call complete. */
  calls: Map<number, Map<number, Call>>;
  /** Citations by answer, sent with its last chunk. */
  citations: Map<number, Citation[]>;
  /** Characters of all held calls and citations. */
  waiting: number;
  /** Finish reasons by answer. Held back, because usage is sent with them. */
  finishes: Map<number, FinishReason>;
}

function chunk({ id, model }: State, context: ReplyContext, candidates: JsonObject[], usage?: Usage): string {
  return dataFrame({
    candidates,
    ...(usage && { usageMetadata: toGeminiUsage(usage) }),
    modelVersion: model || context.model,
    responseId: id || context.requestId,
  });
}

/** The part for an event that is sent at once. */
function partOf(event: StreamEvent & { type: 'text' | 'reasoning' | 'image' }): JsonObject {
  if (event.type === 'image') return { inlineData: { mimeType: event.mimeType, data: event.data } };
  return event.type === 'reasoning' ? { text: event.text, thought: true } : { text: event.text };
}

function withCall(state: State, { choice, index }: { choice: number; index: number }, piece: Partial<Call>): State {
  const calls = state.calls.get(choice) ?? new Map<number, Call>();
  const { id, name, args } = calls.get(index) ?? { id: '', name: '', args: '' };
  const call = { id: id || (piece.id ?? ''), name: name || (piece.name ?? ''), args: args + (piece.args ?? '') };
  calls.set(index, call);
  state.calls.set(choice, calls);
  const grown = call.id.length + call.name.length + call.args.length - id.length - name.length - args.length;
  return { ...state, waiting: state.waiting + grown };
}

function withCitation(state: State, { choice, citation }: StreamEvent & { type: 'citation' }): State {
  const citations = state.citations.get(choice) ?? [];
  citations.push(citation);
  state.citations.set(choice, citations);
  return { ...state, waiting: state.waiting + sizeOfCitation(citation) };
}

/** Parts of an answer's last chunk: its calls, or an empty text. */
function lastParts(state: State, choice: number): JsonObject[] {
  const calls = [...(state.calls.get(choice)?.values() ?? [])];
  return calls.length > 0 ? calls.map(({ id, name, args }) => callOf(id, name, args)) : [{ text: '' }];
}

/** Writes chunks of `:streamGenerateContent`. */
export const geminiStreamWriter: StreamWriter<State> = {
  initialState: () => ({ id: '', model: '', calls: new Map(), citations: new Map(), waiting: 0, finishes: new Map() }),
  waiting: ({ waiting }) => waiting,

  write(state, event, context) {
    switch (event.type) {
      case 'start':
        return { state: { ...state, id: event.id || state.id, model: event.model || state.model }, frames: [] };
      case 'tool-call':
        return { state: withCall(state, event, { id: event.id, name: event.name }), frames: [] };
      case 'tool-arguments':
        return { state: withCall(state, event, { args: event.text }), frames: [] };
      case 'citation':
        return { state: withCitation(state, event), frames: [] };
      case 'finish':
        state.finishes.set(event.choice, event.reason);
        return { state, frames: [] };
      default:
        return { state, frames: [chunk(state, context, [candidateOf(event.choice, [partOf(event)])])] };
    }
  },

  lastFrames(state, context, usage) {
    const choices = new Set([...state.finishes.keys(), ...state.calls.keys()]);
    const ended = [...(choices.size > 0 ? choices : [0])].map((choice) => ({
      ...candidateOf(choice, lastParts(state, choice), toGoogleReason(state.finishes.get(choice) ?? '')),
      ...groundingOf(state.citations.get(choice) ?? []),
    }));
    return [chunk(state, context, ended, usage)];
  },
};
