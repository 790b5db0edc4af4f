import type { JsonObject, ReplyContext } from '../adapter.js';
import { messagesCitation, sizeOfCitation } from '../conversation/citations.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamWriter } from '../conversation/converse.js';
import type { TypedEvent } from '../stream/stream-fold.js';
import { typedFrame } from '../stream/stream-fold.js';
import { toAnthropicUsage } from '../usage.js';
import { pictureText } from '../json/picture-text.js';
import { type Nesting, nestedIn, OUTSIDE } from '../json/nesting.js';
import { toolUseId, toStopReason } from './write-reply.js';

type BlockKind = 'text' | 'thinking' | 'tool_use';

interface State {
  hasStarted: boolean;
  /** Index of the block being written; −1 before the first one. */
  index: number;
  open: BlockKind | undefined;
  /** Index of the call whose arguments go to the open block. */
  call: number | undefined;
  /** Nesting of the arguments so far, which shows when they are complete. */
  nesting: Nesting;
  hasCalls: boolean;
  /** Events for later blocks that arrived while a call was open. One mutable object for the whole stream. */
  held: Held;
  finish: string;
}

interface Held {
  /** In order of arrival, without the arguments of calls. */
  events: Spoken[];
  /** Arguments by index of the call. */
  args: Map<number, string>;
  /** Characters of all held events, including an overhead per event. */
  waiting: number;
}

type Drawn = Exclude<StreamEvent, { type: 'start' | 'finish' }>;
type Spoken = Exclude<Drawn, { type: 'image' }>;
type ToolCall = StreamEvent & { type: 'tool-call' };

const EVENT_OVERHEAD = 64;

const nothingHeld = (): Held => ({ events: [], args: new Map(), waiting: 0 });

interface Step {
  state: State;
  frames: string[];
}

const emit = ({ state, frames }: Step, ...data: TypedEvent[]): Step => ({
  state,
  frames: [...frames, ...data.map(typedFrame)],
});

function closeBlock(step: Step): Step {
  const { state } = step;
  if (!state.open) return step;
  return emit(
    { ...step, state: { ...state, open: undefined, call: undefined } },
    { type: 'content_block_stop', index: state.index },
  );
}

function openBlock(step: Step, kind: BlockKind, block: JsonObject): Step {
  const closed = closeBlock(step);
  const index = closed.state.index + 1;
  const data = { type: 'content_block_start', index, content_block: { type: kind, ...block } };
  return emit({ ...closed, state: { ...closed.state, open: kind, index } }, data);
}

const delta = (index: number, content: JsonObject): TypedEvent => ({
  type: 'content_block_delta',
  index,
  delta: content,
});

function start(step: Step, { id, model }: { id: string; model: string }, context: ReplyContext): Step {
  if (step.state.hasStarted) return step;
  const message = {
    id: id || `msg_${context.requestId}`,
    type: 'message',
    role: 'assistant',
    model: model || context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: context.promptTokens, output_tokens: 0 },
  };
  return emit({ ...step, state: { ...step.state, hasStarted: true } }, { type: 'message_start', message });
}

function thinking(step: Step, text: string): Step {
  const opened = step.state.open === 'thinking' ? step : openBlock(step, 'thinking', { thinking: '', signature: '' });
  return emit(opened, delta(opened.state.index, { type: 'thinking_delta', thinking: text }));
}

function content(step: Step, piece: JsonObject): Step {
  const opened = step.state.open === 'text' ? step : openBlock(step, 'text', { text: '' });
  return emit(opened, delta(opened.state.index, piece));
}

function toolCall(step: Step, event: ToolCall, requestId: string): Step {
  const id = toolUseId(event.id, requestId, event.index);
  const opened = openBlock(step, 'tool_use', { id, name: event.name, input: {} });
  return { ...opened, state: { ...opened.state, call: event.index, nesting: OUTSIDE, hasCalls: true } };
}

/** Drops arguments of a call whose block is closed: a closed block cannot be extended. */
function toolArguments(step: Step, { index, text }: { index: number; text: string }): Step {
  const { state } = step;
  if (state.call !== index) return step;
  const next = { ...step, state: { ...state, nesting: nestedIn(state.nesting, text) } };
  return emit(next, delta(state.index, { type: 'input_json_delta', partial_json: text }));
}

function speak(step: Step, event: Spoken, context: ReplyContext): Step {
  switch (event.type) {
    case 'text':
      return content(step, { type: 'text_delta', text: event.text });
    case 'citation':
      return content(step, { type: 'citations_delta', citation: messagesCitation(event.citation) });
    case 'reasoning':
      return thinking(step, event.text);
    case 'tool-call':
      return toolCall(step, event, context.requestId);
    case 'tool-arguments':
      return toolArguments(step, event);
  }
}

function sizeOf(event: Spoken): number {
  if (event.type === 'citation') return sizeOfCitation(event.citation);
  return event.type === 'tool-call' ? event.id.length + event.name.length : event.text.length;
}

/**
 * Anthropic's blocks are strictly sequential, but an upstream may continue an earlier call after it has begun others. So everything that
 * arrives before the arguments of the open call are complete is held until all calls have ended.
 */
function hold(held: Held, event: Spoken): void {
  held.waiting += sizeOf(event);
  const last = held.events.at(-1);
  if (event.type === 'tool-arguments') {
    const before = held.args.get(event.index);
    if (before !== undefined) held.args.set(event.index, before + event.text);
    return;
  }
  if (event.type === 'tool-call') held.args.set(event.index, '');
  if ((event.type === 'text' || event.type === 'reasoning') && last?.type === event.type) {
    held.events[held.events.length - 1] = { ...event, text: last.text + event.text };
    return;
  }
  held.events.push(event);
  held.waiting += EVENT_OVERHEAD;
}

function release(step: Step, context: ReplyContext): Step {
  const { events, args } = step.state.held;
  return events.reduce(
    (so, event) => {
      const spoken = speak(so, event, context);
      const text = event.type === 'tool-call' && args.get(event.index);
      return text ? toolArguments(spoken, { index: event.index, text }) : spoken;
    },
    { ...step, state: { ...step.state, held: nothingHeld() } },
  );
}

/** A message has no pictures, so they are text. */
const inText = (event: Drawn): Spoken =>
  event.type === 'image'
    ? { type: 'text', choice: event.choice, text: pictureText(event.mimeType, event.data) }
    : event;

/** Further answers are dropped: a message has one. */
function write(step: Step, event: StreamEvent, context: ReplyContext): Step {
  if (event.type === 'start') return start(step, event, context);
  if (event.choice !== 0) return step;
  const { state } = step;
  if (event.type === 'finish') {
    const released = release(step, context);
    return { ...released, state: { ...released.state, finish: event.reason } };
  }
  const isOwn = event.type === 'tool-arguments' && event.index === state.call;
  const isFree = state.held.events.length === 0 && (state.call === undefined || state.nesting.isWhole);
  const spoken = inText(event);
  if (isFree || isOwn) return speak(step, spoken, context);
  hold(state.held, spoken);
  return step;
}

/** Writes Anthropic's stream events. The stop reason is held back, because usage is sent with it. */
export const messagesStreamWriter: StreamWriter<State> = {
  initialState: () => ({
    ...{ hasStarted: false, index: -1, open: undefined, call: undefined, hasCalls: false },
    ...{ nesting: OUTSIDE, held: nothingHeld(), finish: '' },
  }),

  waiting: ({ held }) => held.waiting,

  write: (state, event, context) => write({ state, frames: [] }, event, context),

  lastFrames(state, context, usage) {
    const started = start({ state, frames: [] }, { id: '', model: '' }, context);
    const closed = closeBlock(release(started, context));
    const reason = toStopReason(state.finish, closed.state.hasCalls);
    const counts = usage ? toAnthropicUsage(usage) : { output_tokens: 0 };
    const last = { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: counts };
    return emit(closed, last, { type: 'message_stop' }).frames;
  },
};
