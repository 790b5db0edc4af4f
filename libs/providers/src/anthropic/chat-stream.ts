import type { JsonObject, ReplyContext } from '../adapter.js';
import { objectOf, textOf } from '../json.js';
import type { FoldState, StreamFold } from '../stream-fold.js';
import { beforeFirstEvent, dataFrame, readJsonEvent } from '../stream-fold.js';
import { appendText } from '../transcript.js';
import { anthropicUsage, closingUsage, toOpenAiUsage } from '../usage.js';
import { toFinishReason } from './chat-reply.js';
import { readAnthropicPart } from './parts.js';

interface State extends FoldState {
  id: string;
  model: string;
  /** Anthropic's block index → the tool's index among the calls. */
  tools: Readonly<Record<number, number>>;
}

interface Step {
  state: State;
  /** Deltas of the first choice, or the finish reason. */
  deltas: { delta: JsonObject; finishReason?: string }[];
}

type Handler = (state: State, json: JsonObject) => Step;

const say = (state: State, delta: JsonObject): Step => ({ state, deltas: [{ delta }] });
const quiet = (state: State): Step => ({ state, deltas: [] });
const indexOf = (json: JsonObject): number => (typeof json.index === 'number' ? json.index : 0);

function blockStart(state: State, json: JsonObject): Step {
  const block = objectOf(json.content_block);
  if (block.type !== 'tool_use') {
    const text = textOf(block.text);
    return text ? say(state, { content: text }) : quiet(state);
  }
  const index = Object.keys(state.tools).length;
  const call = { index, id: block.id, type: 'function', function: { name: block.name, arguments: '' } };
  return say({ ...state, tools: { ...state.tools, [indexOf(json)]: index } }, { tool_calls: [call] });
}

/** Signatures and citations have no counterpart and are left out. */
function blockDelta(state: State, json: JsonObject): Step {
  const delta = objectOf(json.delta);
  if (delta.type === 'text_delta') return say(state, { content: textOf(delta.text) });
  if (delta.type === 'thinking_delta') return say(state, { reasoning_content: textOf(delta.thinking) });
  if (delta.type !== 'input_json_delta') return quiet(state);
  const index = state.tools[indexOf(json)] ?? 0;
  return say(state, { tool_calls: [{ index, function: { arguments: textOf(delta.partial_json) } }] });
}

const handlers: Readonly<Record<string, Handler>> = {
  message_start: (state, json) => {
    const message = objectOf(json.message);
    const opening = anthropicUsage(message.usage);
    const promptUsage = opening && { ...opening, outputTokens: 0 };
    const next = { ...state, id: textOf(message.id) || state.id, model: textOf(message.model) || state.model };
    return say({ ...next, ...(promptUsage && { promptUsage }) }, { role: 'assistant', content: '' });
  },
  content_block_start: blockStart,
  content_block_delta: blockDelta,
  message_delta: (state, json) => {
    const usage = closingUsage(json.usage, state.usage ?? state.promptUsage);
    const reason = textOf(objectOf(json.delta).stop_reason);
    const next = { ...state, ...(usage && { usage }), hasEnded: state.hasEnded || reason !== '' };
    return reason ? { state: next, deltas: [{ delta: {}, finishReason: toFinishReason(reason) }] } : quiet(next);
  },
  message_stop: (state) => quiet({ ...state, isDone: true }),
};

const chunkOf = (state: State, context: ReplyContext, rest: JsonObject): string =>
  dataFrame({
    id: state.id || `chatcmpl-${context.requestId}`,
    object: 'chat.completion.chunk',
    created: context.nowSeconds,
    model: state.model || context.model,
    ...rest,
  });

/** Anthropic events as chat chunks. */
export const chatFold: StreamFold<State> = {
  clientDialect: 'openai',

  initialState: () => ({ ...beforeFirstEvent, id: '', model: '', tools: {} }),

  fromStreamEvent(before, event, context) {
    const { json, state } = readJsonEvent(before, event, context);
    if (!json) return { state, frames: [] };
    const step = handlers[textOf(json.type)]?.(state, json) ?? quiet(state);
    const { text } = readAnthropicPart(json);
    const content = appendText(step.state.content, text, Object.keys(step.state.tools).length);
    const frames = step.deltas.map(({ delta, finishReason }) =>
      chunkOf(step.state, context, {
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason ?? null }],
      }),
    );
    return { state: { ...step.state, content }, frames };
  },

  lastFrames(state, context, usage) {
    const owed = context.includeUsage && usage;
    return [
      ...(owed ? [chunkOf(state, context, { choices: [], usage: toOpenAiUsage(owed) })] : []),
      'data: [DONE]\n\n',
    ];
  },
};
