import type { Usage } from '@tollgate/contracts';
import type { ClientError, JsonObject, ReplyContext } from '../adapter.js';
import { type Citation, responsesAnnotation, sizeOfCitation } from '../conversation/citations.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamWriter } from '../conversation/converse.js';
import { typedFrame } from '../stream/stream-fold.js';
import {
  argumentsOf,
  begun,
  type CallItem,
  callItem,
  type Item,
  type ItemStatus,
  placed,
  summaryContent,
  textContent,
  written,
} from './items.js';
import { endOf, responseObject, type ResponseState } from './response-object.js';

/** One mutable object for the whole stream, because the end of a response repeats everything. */
interface State {
  hasStarted: boolean;
  model: string;
  /** Number of events so far. */
  sequence: number;
  items: Item[];
  /** The open message or thought. Calls stay open in parallel, because their pieces may alternate. */
  open: Item | undefined;
  /** Items of calls by index of the call. */
  calls: Map<number, CallItem>;
  finish: string;
  /** Characters of all items. */
  waiting: number;
}

type Frames = string[];

function event(state: State, type: string, data: JsonObject): string {
  const frame = typedFrame({ type, sequence_number: state.sequence, ...data });
  state.sequence += 1;
  return frame;
}

const at = ({ id, place }: Item): JsonObject => ({ item_id: id, output_index: place });

const whole = (state: State, context: ReplyContext, rest: Pick<ResponseState, 'status'> & Partial<ResponseState>) => ({
  response: responseObject({ model: state.model, output: [], ...rest }, context),
});

function start(state: State, context: ReplyContext): Frames {
  if (state.hasStarted) return [];
  state.hasStarted = true;
  return ['response.created', 'response.in_progress'].map((type) =>
    event(state, type, whole(state, context, { status: 'in_progress' })),
  );
}

/** Event that begins the single part of a message or thought. */
function openPart(state: State, item: Item): Frames {
  if (item.kind === 'message')
    return [event(state, 'response.content_part.added', { ...at(item), content_index: 0, part: textContent('') })];
  if (item.kind !== 'reasoning') return [];
  const part = summaryContent('');
  return [event(state, 'response.reasoning_summary_part.added', { ...at(item), summary_index: 0, part })];
}

function begin(state: State, item: Item): Frames {
  state.items.push(item);
  const added = event(state, 'response.output_item.added', { output_index: item.place, item: begun(item) });
  return [added, ...openPart(state, item)];
}

/** Events that end the parts of an item. */
function endParts(state: State, item: Item): Frames {
  const place = at(item);
  if (item.kind === 'message') {
    const part = { ...place, content_index: 0 };
    return [
      event(state, 'response.output_text.done', { ...part, text: item.text, logprobs: [] }),
      event(state, 'response.content_part.done', { ...part, part: textContent(item.text, item.citations) }),
    ];
  }
  if (item.kind === 'reasoning') {
    const part = { ...place, summary_index: 0 };
    return [
      event(state, 'response.reasoning_summary_text.done', { ...part, text: item.text }),
      event(state, 'response.reasoning_summary_part.done', { ...part, part: summaryContent(item.text) }),
    ];
  }
  if (item.kind !== 'call') return [];
  return [
    event(state, 'response.function_call_arguments.done', { ...place, name: item.name, arguments: argumentsOf(item) }),
  ];
}

function end(state: State, item: Item, status: ItemStatus = 'completed'): Frames {
  const done = endParts(state, item);
  return [
    ...done,
    event(state, 'response.output_item.done', { output_index: item.place, item: written(item, status) }),
  ];
}

function endOpen(state: State, status?: ItemStatus): Frames {
  const { open } = state;
  state.open = undefined;
  return open ? end(state, open, status) : [];
}

const DELTAS = { message: 'response.output_text.delta', reasoning: 'response.reasoning_summary_text.delta' } as const;

/** Closes the open item and opens one of this kind, unless it is open already. */
function openItem(state: State, kind: 'message' | 'reasoning', context: ReplyContext): Frames {
  if (state.open?.kind === kind) return [];
  const ended = endOpen(state);
  const place = placed(kind, state.items.length, context);
  const item: Item = kind === 'message' ? { kind, ...place, text: '', citations: [] } : { kind, ...place, text: '' };
  const frames = [...ended, ...begin(state, item)];
  state.open = item;
  return frames;
}

/** Adds a citation to the message with the cited text. */
function cite(state: State, citation: Citation, context: ReplyContext): Frames {
  const opened = openItem(state, 'message', context);
  const item = state.open;
  if (item?.kind !== 'message') return opened;
  const place = { ...at(item), content_index: 0, annotation_index: item.citations.length };
  item.citations.push(citation);
  state.waiting += sizeOfCitation(citation);
  const annotation = responsesAnnotation(citation);
  return [...opened, event(state, 'response.output_text.annotation.added', { ...place, annotation })];
}

/** Adds a piece of text or thought to an item of its kind. */
function say(state: State, kind: 'message' | 'reasoning', text: string, context: ReplyContext): Frames {
  const frames = openItem(state, kind, context);
  const item = state.open;
  if (!item) return frames;
  item.text += text;
  state.waiting += text.length;
  const index = kind === 'message' ? { content_index: 0, logprobs: [] } : { summary_index: 0 };
  frames.push(event(state, DELTAS[kind], { ...at(item), ...index, delta: text }));
  return frames;
}

function call(state: State, toolCall: StreamEvent & { type: 'tool-call' }, context: ReplyContext): Frames {
  const ended = endOpen(state);
  const item = callItem(toolCall, state.items.length, context);
  state.calls.set(toolCall.index, item);
  state.waiting += item.name.length;
  return [...ended, ...begin(state, item)];
}

function callText(state: State, index: number, text: string): Frames {
  const item = state.calls.get(index);
  if (!item) return [];
  item.text += text;
  state.waiting += text.length;
  return [event(state, 'response.function_call_arguments.delta', { ...at(item), delta: text })];
}

function picture(state: State, data: string, context: ReplyContext): Frames {
  const ended = endOpen(state);
  const item: Item = { kind: 'picture', ...placed('picture', state.items.length, context), text: data };
  state.waiting += data.length;
  return [...ended, ...begin(state, item), ...end(state, item)];
}

/** Further answers are dropped: a response has only one. */
function write(state: State, streamEvent: StreamEvent, context: ReplyContext): Frames {
  if (streamEvent.type === 'start') {
    state.model = streamEvent.model || state.model;
    return start(state, context);
  }
  if (streamEvent.choice !== 0) return [];
  const begun = start(state, context);
  switch (streamEvent.type) {
    case 'text':
      return [...begun, ...say(state, 'message', streamEvent.text, context)];
    case 'reasoning':
      return [...begun, ...say(state, 'reasoning', streamEvent.text, context)];
    case 'citation':
      return [...begun, ...cite(state, streamEvent.citation, context)];
    case 'tool-call':
      return [...begun, ...call(state, streamEvent, context)];
    case 'tool-arguments':
      return [...begun, ...callText(state, streamEvent.index, streamEvent.text)];
    case 'image':
      return [...begun, ...picture(state, streamEvent.data, context)];
    case 'finish':
      state.finish = streamEvent.reason;
      return begun;
  }
}

/** Ends all open items, then the response, which repeats them. */
function finish(state: State, context: ReplyContext, usage: Usage | undefined): Frames {
  const begun = start(state, context);
  const ending = endOf(state.finish);
  const status = ending.status === 'completed' ? 'completed' : 'incomplete';
  const ended = [...endOpen(state, status), ...[...state.calls.values()].flatMap((item) => end(state, item, status))];
  const output = state.items.map((item) => written(item, status));
  return [...begun, ...ended, event(state, `response.${status}`, whole(state, context, { ...ending, output, usage }))];
}

/**
 * Writes events of POST /v1/responses in OpenAI's order. `response.completed` or `response.incomplete` is the last one; there is no
 * `[DONE]`.
 */
export const responsesStreamWriter: StreamWriter<State> = {
  initialState: () => ({
    ...{ hasStarted: false, model: '', sequence: 0, items: [], open: undefined },
    ...{ calls: new Map<number, CallItem>(), finish: '', waiting: 0 },
  }),
  waiting: ({ waiting }) => waiting,

  write: (state, told, context) => ({ state, frames: write(state, told, context) }),

  lastFrames: (state, context, usage) => finish(state, context, usage),

  /** Sends both a failed response and an error event, because clients differ in which one they handle. */
  errorFrames(state, context, { message, code }: ClientError) {
    const begun = start(state, context);
    const output = state.items.map((item) => written(item, 'incomplete'));
    const error = { code: code || 'server_error', message };
    const failed = event(state, 'response.failed', whole(state, context, { status: 'failed', output, error }));
    return [...begun, failed, event(state, 'error', { ...error, param: null })];
  },
};
