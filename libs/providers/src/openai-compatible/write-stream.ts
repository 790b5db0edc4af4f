import type { JsonObject, ReplyContext } from '../adapter.js';
import { generatedCallId } from '../conversation/call-ids.js';
import { chatAnnotation } from '../conversation/citations.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamWriter } from '../conversation/converse.js';
import { pictureText } from '../json/picture-text.js';
import { dataFrame } from '../stream/stream-fold.js';
import { toOpenAiUsage } from '../usage.js';
import { extraOf } from './write-reply.js';

interface State {
  id: string;
  model: string;
  /** Answers whose role the client knows. One mutable set for the whole stream. */
  begun: Set<number>;
}

type Piece = Exclude<StreamEvent, { type: 'start' }>;

/** The delta for an event; a finish event has an empty one. */
function deltaOf(event: Piece, requestId: string): JsonObject {
  switch (event.type) {
    case 'text':
      return { content: event.text };
    case 'reasoning':
      return { reasoning_content: event.text };
    case 'image':
      return { content: pictureText(event.mimeType, event.data) };
    case 'tool-call': {
      const { index, id, name, signature } = event;
      const call = {
        index,
        id: id || generatedCallId('call', requestId, index),
        type: 'function',
        function: { name, arguments: '' },
      };
      return { tool_calls: [{ ...call, ...extraOf(signature) }] };
    }
    case 'tool-arguments':
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
    case 'citation':
      return { annotations: [chatAnnotation(event.citation)] };
    case 'finish':
      return {};
  }
}

const chunkOf = (state: State, context: ReplyContext, rest: JsonObject): string =>
  dataFrame({
    id: state.id || `chatcmpl-${context.requestId}`,
    object: 'chat.completion.chunk',
    created: context.nowSeconds,
    model: state.model || context.model,
    ...rest,
  });

const choiceOf = (index: number, delta: JsonObject, finish: string | null): JsonObject => ({
  choices: [{ index, delta, logprobs: null, finish_reason: finish }],
});

/** Writes chat chunks; the usage chunk only if the client asked for it. */
export const chatStreamWriter: StreamWriter<State> = {
  initialState: () => ({ id: '', model: '', begun: new Set() }),

  write(state, event, context) {
    if (event.type === 'start') {
      const next = { ...state, id: event.id || state.id, model: event.model || state.model };
      state.begun.add(0);
      return { state: next, frames: [chunkOf(next, context, choiceOf(0, { role: 'assistant', content: '' }, null))] };
    }
    const finish = event.type === 'finish' ? event.reason : null;
    const delta = deltaOf(event, context.requestId);
    const isFirst = !state.begun.has(event.choice);
    state.begun.add(event.choice);
    const piece = choiceOf(event.choice, isFirst ? { role: 'assistant', ...delta } : delta, finish);
    return { state, frames: [chunkOf(state, context, piece)] };
  },

  lastFrames(state, context, usage) {
    const owed = context.includeUsage && usage;
    return [
      ...(owed ? [chunkOf(state, context, { choices: [], usage: toOpenAiUsage(owed) })] : []),
      'data: [DONE]\n\n',
    ];
  },
};
