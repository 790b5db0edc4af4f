import type { JsonObject, ReplyContext } from '../adapter.js';
import { messagesCitation } from '../conversation/citations.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamWriter } from '../conversation/converse.js';
import type { TypedEvent } from '../stream-fold.js';
import { typedFrame } from '../stream-fold.js';
import { toAnthropicUsage } from '../usage.js';
import { toolUseId, toStopReason } from './write-reply.js';

type BlockKind = 'text' | 'thinking' | 'tool_use';

interface State {
  hasStarted: boolean;
  /** Index of the block being written; −1 before the first. */
  index: number;
  open: BlockKind | undefined;
  /** The call's index → our block index, so that parallel calls keep apart; one map for the whole stream, which grows. */
  tools: Map<number, number>;
  finish: string;
}

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
  return emit({ ...step, state: { ...state, open: undefined } }, { type: 'content_block_stop', index: state.index });
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

function toolCall(step: Step, event: StreamEvent & { type: 'tool-call' }, requestId: string): Step {
  const id = toolUseId(event.id, requestId, event.index);
  const opened = openBlock(step, 'tool_use', { id, name: event.name, input: {} });
  opened.state.tools.set(event.index, opened.state.index);
  return opened;
}

/** A message has one answer and no pictures, so others and these are left out. */
function write(step: Step, event: StreamEvent, context: ReplyContext): Step {
  if (event.type === 'start') return start(step, event, context);
  if (event.choice !== 0) return step;
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
      return emit(
        step,
        delta(step.state.tools.get(event.index) ?? 0, { type: 'input_json_delta', partial_json: event.text }),
      );
    case 'finish':
      return { ...step, state: { ...step.state, finish: event.reason } };
    case 'image':
      return step;
  }
}

/** Anthropic's events. The stop reason waits for the end, because usage comes after it. */
export const messagesStreamWriter: StreamWriter<State> = {
  initialState: () => ({ hasStarted: false, index: -1, open: undefined, tools: new Map(), finish: '' }),

  write: (state, event, context) => write({ state, frames: [] }, event, context),

  lastFrames(state, context, usage) {
    const closed = closeBlock(start({ state, frames: [] }, { id: '', model: '' }, context));
    const reason = state.tools.size > 0 ? 'tool_use' : toStopReason(state.finish);
    const counts = usage ? toAnthropicUsage(usage) : { output_tokens: 0 };
    const last = { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: counts };
    return emit(closed, last, { type: 'message_stop' }).frames;
  },
};
