import type { Attempt, Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext, UpstreamFault } from '../adapter.js';
import type { Part, StreamEvent } from '../conversation/conversation.js';
import type { ReadReply, StreamReader } from '../conversation/converse.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { parseObject } from '../json/json.js';
import { maskSecrets } from '../faults/mask-secrets.js';
import type { SseEvent } from '../stream/sse.js';
import { beforeFirstEvent, type FoldState } from '../stream/stream-fold.js';
import { appendText, noText } from '../stream/transcript.js';

export interface PlainCall {
  /** Counts the calls of the answer. */
  index: number;
  id: string;
  name: string;
  arguments: string;
}

/** What one event says, or a whole reply. */
export interface Piece {
  id?: string;
  model?: string;
  text?: string;
  reasoning?: string;
  calls?: PlainCall[];
  /** OpenAI's word; empty: the answer goes on. */
  finish?: string;
  usage?: Usage | undefined;
}

/** Reads one JSON of an upstream. */
export type PieceReader = (json: JsonObject) => Piece;
export type FaultReader = (json: JsonObject, secrets: readonly string[]) => UpstreamFault | undefined;

/** An error inside a 200 reply, in the upstream's own words. */
export const faultOf = (
  { message, type, code }: { message: string; type: string; code: string | number },
  faultClass: Attempt['class'],
  secrets: readonly string[],
): UpstreamFault => ({
  class: faultClass,
  message: maskSecrets(message || `error ${code}`, secrets),
  type,
  code: String(code),
  ...(typeof code === 'number' && { statedCode: code }),
});

/** The same as an `error` object, of a reply whose status says that it is one. */
export const errorOf = ({ message, type, code, statedCode }: UpstreamFault): JsonObject => ({
  error: { message, type, code: statedCode ?? code },
});

const partsOf = ({ text = '', reasoning = '', calls = [] }: Piece): Part[] => [
  ...(reasoning ? [{ type: 'thinking' as const, text: reasoning }] : []),
  ...(text ? [{ type: 'text' as const, text }] : []),
  ...calls.map(({ id, name, arguments: written }) => ({ type: 'tool-call' as const, id, name, arguments: written })),
];

/** All that was said, for counting. */
const saidBy = ({ text = '', reasoning = '', calls = [] }: Piece): string =>
  reasoning + text + calls.map((call) => call.name + call.arguments).join('');

/** `find` recognises an error of this upstream; `read` answers undefined for what is no reply at all. */
export const plainReply =
  (read: (json: JsonObject) => Piece | undefined, find: FaultReader = findFault) =>
  (body: Buffer, { secrets }: ReplyContext): ReadReply => {
    const json = parseObject(body.toString('utf8'));
    const fault = json ? find(json, secrets) : unreadableReply;
    const piece = json && !fault ? read(json) : undefined;
    if (!piece) return { usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
    const { id = '', model = '', finish = '', usage, calls = [] } = piece;
    return {
      usage,
      text: () => appendText(noText, saidBy(piece), calls.length),
      reply: { id, model, choices: [{ parts: partsOf(piece), finish: finishOf(finish, calls.length) }] },
    };
  };

/** Some say of an answer with calls only that it is over. */
const finishOf = (finish: string, calls: number): string =>
  calls > 0 && (finish === '' || finish === 'stop') ? 'tool_calls' : finish || 'stop';

interface State extends FoldState {
  hasStarted: boolean;
  /** Calls that have begun; one set for the whole stream, which grows. */
  calls: Set<number>;
}

function eventsOf({ text, reasoning, calls = [], finish }: Piece, begun: Set<number>): StreamEvent[] {
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, choice: 0, text: reasoning }] : []),
    ...(text ? [{ type: 'text' as const, choice: 0, text }] : []),
    ...calls.flatMap(({ index, id, name, arguments: written }): StreamEvent[] => {
      const isNew = !begun.has(index);
      begun.add(index);
      return [
        ...(isNew ? [{ type: 'tool-call' as const, choice: 0, index, id, name }] : []),
        ...(written ? [{ type: 'tool-arguments' as const, choice: 0, index, text: written }] : []),
      ];
    }),
    ...(finish ? [{ type: 'finish' as const, choice: 0, reason: finishOf(finish, begun.size) }] : []),
  ];
}

/** Events of JSON, one piece each, of one answer. */
export const plainReader = (read: PieceReader, find: FaultReader = findFault): StreamReader<State> => ({
  initialState: () => ({ ...beforeFirstEvent, hasStarted: false, calls: new Set() }),

  read(state, { data }: SseEvent, { secrets }) {
    if (data === undefined) return { state, events: [] };
    if (data === '[DONE]') return { state: { ...state, isDone: true }, events: [] };
    const json = parseObject(data);
    if (!json) return { state: { ...state, malformedEvents: state.malformedEvents + 1 }, events: [] };
    const fault = find(json, secrets);
    if (fault) return { state: { ...state, fault }, events: [] };
    const piece = read(json);
    const start: StreamEvent[] = state.hasStarted
      ? []
      : [{ type: 'start', id: piece.id ?? '', model: piece.model ?? '' }];
    const events = eventsOf(piece, state.calls);
    const next = {
      ...state,
      usage: piece.usage ?? state.usage,
      hasEnded: state.hasEnded || !!piece.finish,
      content: appendText(state.content, saidBy(piece), state.calls.size),
      hasStarted: true,
    };
    return { state: next, events: [...start, ...events] };
  },
});
