import type { JsonObject, ReplyContext } from '../adapter.js';
import { arrayOf, objectOf, textOf } from '../json.js';
import type { FoldState, StreamFold, TypedEvent } from '../stream-fold.js';
import { beforeFirstEvent, typedFrame } from '../stream-fold.js';
import { appendText } from '../transcript.js';
import type { UsageHabits } from '../usage.js';
import { openAiUsage, toAnthropicUsage } from '../usage.js';
import { toStopReason } from './messages-reply.js';
import { readOpenAiEvent, readOpenAiPart } from './parts.js';

type BlockKind = 'text' | 'thinking' | 'tool_use';

interface State extends FoldState {
  hasStarted: boolean;
  /** Index of the block being written; −1 before the first. */
  index: number;
  open: BlockKind | undefined;
  /** The upstream's tool index → our block index, so that parallel calls keep apart. */
  tools: Readonly<Record<number, number>>;
  stopReason: string;
}

interface Step {
  state: State;
  frames: string[];
}

type Part = (step: Step) => Step;

const emit = ({ state, frames }: Step, ...data: TypedEvent[]): Step => ({
  state,
  frames: [...frames, ...data.map(typedFrame)],
});

const closeBlock: Part = (step) => {
  const { state } = step;
  if (!state.open) return step;
  return emit({ ...step, state: { ...state, open: undefined } }, { type: 'content_block_stop', index: state.index });
};

const openBlock =
  (kind: BlockKind, block: JsonObject): Part =>
  (step) => {
    const closed = closeBlock(step);
    const index = closed.state.index + 1;
    const data = { type: 'content_block_start', index, content_block: { type: kind, ...block } };
    return emit({ ...closed, state: { ...closed.state, open: kind, index } }, data);
  };

const delta = (index: number, content: JsonObject): TypedEvent => ({
  type: 'content_block_delta',
  index,
  delta: content,
});

const start =
  (json: JsonObject, context: ReplyContext): Part =>
  (step) => {
    if (step.state.hasStarted) return step;
    const message = {
      id: textOf(json.id) || `msg_${context.requestId}`,
      type: 'message',
      role: 'assistant',
      model: textOf(json.model) || context.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: context.promptTokens, output_tokens: 0 },
    };
    return emit({ ...step, state: { ...step.state, hasStarted: true } }, { type: 'message_start', message });
  };

const thinking =
  (text: string): Part =>
  (step) => {
    if (!text) return step;
    const opened = step.state.open === 'thinking' ? step : openBlock('thinking', { thinking: '', signature: '' })(step);
    return emit(opened, delta(opened.state.index, { type: 'thinking_delta', thinking: text }));
  };

const content =
  (text: string): Part =>
  (step) => {
    if (!text) return step;
    const opened = step.state.open === 'text' ? step : openBlock('text', { text: '' })(step);
    return emit(opened, delta(opened.state.index, { type: 'text_delta', text }));
  };

/** Names and ids come with a call's first piece; later pieces carry arguments only. */
const toolCall =
  (call: JsonObject, position: number, requestId: string): Part =>
  (step) => {
    const tool = typeof call.index === 'number' ? call.index : position;
    const fn = objectOf(call.function);
    let next = step;
    if (next.state.tools[tool] === undefined) {
      const id = textOf(call.id) || `toolu_${requestId}_${tool}`;
      next = openBlock('tool_use', { id, name: textOf(fn.name), input: {} })(next);
      next = { ...next, state: { ...next.state, tools: { ...next.state.tools, [tool]: next.state.index } } };
    }
    const partial = textOf(fn.arguments);
    if (!partial) return next;
    return emit(next, delta(next.state.tools[tool] ?? 0, { type: 'input_json_delta', partial_json: partial }));
  };

function convert(state: State, json: JsonObject, context: ReplyContext): Step {
  const choice = objectOf(arrayOf(json.choices)[0]);
  const piece = objectOf(choice.delta);
  const parts: Part[] = [
    start(json, context),
    thinking(textOf(piece.reasoning_content) || textOf(piece.reasoning)),
    content(textOf(piece.content) || textOf(piece.refusal)),
    ...arrayOf(piece.tool_calls).map((call, position) => toolCall(objectOf(call), position, context.requestId)),
  ];
  return parts.reduce<Step>((step, part) => part(step), { state, frames: [] });
}

/** OpenAI chunks as Anthropic events. The stop reason waits for the end, because usage comes after it. */
export const messagesFold = (habits: UsageHabits): StreamFold<State> => ({
  clientDialect: 'anthropic',

  initialState: () => ({
    ...beforeFirstEvent,
    hasStarted: false,
    index: -1,
    open: undefined,
    tools: {},
    stopReason: '',
  }),

  fromStreamEvent(state, event, context) {
    const { json, ...read } = readOpenAiEvent(state, event, context);
    if (!json) return { state: read.state, frames: [] };
    const part = readOpenAiPart(json);
    const step = convert(state, json, context);
    const next: State = {
      ...step.state,
      usage: openAiUsage(json.usage, habits) ?? state.usage,
      hasEnded: state.hasEnded || part.isLast === true,
      stopReason: textOf(objectOf(arrayOf(json.choices)[0]).finish_reason) || state.stopReason,
      content: appendText(state.content, part.text, Object.keys(step.state.tools).length),
    };
    return { state: next, frames: step.frames };
  },

  lastFrames(state, context, usage) {
    const started = start({}, context)({ state, frames: [] });
    const closed = closeBlock(started);
    const reason = Object.keys(state.tools).length > 0 ? 'tool_use' : toStopReason(state.stopReason);
    const counts = usage ? toAnthropicUsage(usage) : { output_tokens: 0 };
    const last = { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: counts };
    return emit(closed, last, { type: 'message_stop' }).frames;
  },
});
