import type { JsonObject } from '../adapter.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamReader } from '../conversation/converse.js';
import { objectOf, textOf } from '../json/json.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent, readJsonEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import { anthropicUsage, closingUsage } from '../usage.js';
import { readAnthropicPart } from './parts.js';
import { toFinishReason } from './read-reply.js';

interface State extends FoldState {
  /** Anthropic's block index → index among the tool calls. One mutable map for the whole stream. */
  tools: Map<number, number>;
  /** Anthropic's block index → the input that the block of a call began with, until its arguments come in pieces. Mutable, too. */
  inputs: Map<number, string>;
}

interface Step {
  state: State;
  events: StreamEvent[];
}

type Handler = (state: State, json: JsonObject) => Step;

const CHOICE = { choice: 0 };
const say = (state: State, ...events: StreamEvent[]): Step => ({ state, events });
const indexOf = (json: JsonObject): number => (typeof json.index === 'number' ? json.index : 0);

function blockStart(state: State, json: JsonObject): Step {
  const block = objectOf(json.content_block);
  if (block.type !== 'tool_use') {
    const text = textOf(block.text);
    return text ? say(state, { type: 'text', ...CHOICE, text }) : say(state);
  }
  const index = state.tools.size;
  state.tools.set(indexOf(json), index);
  state.inputs.set(indexOf(json), JSON.stringify(objectOf(block.input)));
  return say(state, { type: 'tool-call', ...CHOICE, index, id: textOf(block.id), name: textOf(block.name) });
}

/**
 * Citations of this dialect are dropped, because other dialects have no counterpart; the signature of a thought becomes a line break. The
 * input of a tool that Anthropic runs itself is no call of the client's.
 */
function blockDelta(state: State, json: JsonObject): Step {
  const delta = objectOf(json.delta);
  if (delta.type === 'text_delta') return say(state, { type: 'text', ...CHOICE, text: textOf(delta.text) });
  if (delta.type === 'thinking_delta')
    return say(state, { type: 'reasoning', ...CHOICE, text: textOf(delta.thinking) });
  if (delta.type === 'signature_delta') return say(state, { type: 'reasoning', ...CHOICE, text: '\n' });
  if (delta.type !== 'input_json_delta') return say(state);
  const index = state.tools.get(indexOf(json));
  if (index === undefined) return say(state);
  const text = textOf(delta.partial_json);
  if (text !== '') state.inputs.delete(indexOf(json));
  return say(state, { type: 'tool-arguments', ...CHOICE, index, text });
}

/** A call of a tool without parameters has no pieces, but other dialects parse the arguments of every call. */
function blockStop(state: State, json: JsonObject): Step {
  const block = indexOf(json);
  const index = state.tools.get(block);
  const text = state.inputs.get(block);
  if (index === undefined || text === undefined) return say(state);
  state.inputs.delete(block);
  return say(state, { type: 'tool-arguments', ...CHOICE, index, text });
}

const handlers: Readonly<Record<string, Handler>> = {
  message_start: (state, json) => {
    const message = objectOf(json.message);
    const opening = anthropicUsage(message.usage);
    const promptUsage = opening && { ...opening, outputTokens: 0 };
    const next = { ...state, ...(promptUsage && { promptUsage }) };
    return say(next, { type: 'start', id: textOf(message.id), model: textOf(message.model) });
  },
  content_block_start: blockStart,
  content_block_delta: blockDelta,
  content_block_stop: blockStop,
  message_delta: (state, json) => {
    const usage = closingUsage(json.usage, state.usage ?? state.promptUsage);
    const reason = textOf(objectOf(json.delta).stop_reason);
    const next = { ...state, ...(usage && { usage }), hasEnded: state.hasEnded || reason !== '' };
    return reason ? say(next, { type: 'finish', ...CHOICE, reason: toFinishReason(reason) }) : say(next);
  },
  message_stop: (state) => say({ ...state, isDone: true }),
};

/** Reads Anthropic's stream events. */
export const messagesStreamReader: StreamReader<State> = {
  initialState: () => ({ ...beforeFirstEvent, tools: new Map(), inputs: new Map() }),

  read(before, event, context) {
    const { json, state } = readJsonEvent(before, event, context);
    if (!json) return { state, events: [] };
    const step = handlers[textOf(json.type)]?.(state, json) ?? say(state);
    const { text } = readAnthropicPart(json);
    const content = appendText(step.state.content, text, step.state.tools.size);
    return { state: { ...step.state, content }, events: step.events };
  },
};
