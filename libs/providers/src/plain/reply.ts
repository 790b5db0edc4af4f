import type { Attempt, Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext, UpstreamFault } from '../adapter.js';
import type { Part, StreamEvent } from '../conversation/conversation.js';
import type { ReadReply, StreamReader } from '../conversation/converse.js';
import { withStart } from '../conversation/pieces.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { parseObject } from '../json/json.js';
import { maskSecrets } from '../faults/mask-secrets.js';
import type { SseEvent } from '../stream/sse.js';
import { beforeFirstEvent, type FoldState } from '../stream/stream-fold.js';
import { appendText, noText } from '../stream/transcript.js';
import { laterUsage } from '../usage.js';

export interface PlainCall {
  /** Index among the calls of the answer. */
  index: number;
  id: string;
  name: string;
  arguments: string;
}

/** Contents of one event, or of a complete reply. */
export interface Piece {
  id?: string;
  model?: string;
  text?: string;
  reasoning?: string;
  calls?: PlainCall[];
  /** OpenAI's finish reason; empty while the answer continues. */
  finish?: string;
  usage?: Usage | undefined;
}

/** Reads one JSON object of an upstream. */
export type PieceReader = (json: JsonObject) => Piece;
type FaultReader = (json: JsonObject, secrets: readonly string[]) => UpstreamFault | undefined;

/** The fault in a 200 reply, with the upstream's own message. */
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

/** The fault as an `error` object, for replies with an error status. */
export const errorOf = ({ message, type, code, statedCode }: UpstreamFault): JsonObject => ({
  error: { message, type, code: statedCode ?? code },
});

const partsOf = ({ text = '', reasoning = '', calls = [] }: Piece): Part[] => [
  ...(reasoning ? [{ type: 'thinking' as const, text: reasoning }] : []),
  ...(text ? [{ type: 'text' as const, text }] : []),
  ...calls.map(({ id, name, arguments: written }) => ({ type: 'tool-call' as const, id, name, arguments: written })),
];

/** The whole text, for local counting. */
const saidBy = ({ text = '', reasoning = '', calls = [] }: Piece): string =>
  reasoning + text + calls.map((call) => call.name + call.arguments).join('');

/** `find` recognises an error of this upstream; `read` returns `undefined` for a reply of another form. */
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

/** Some upstreams report `stop` for an answer that consists of calls. */
const finishOf = (finish: string, calls: number): string =>
  calls > 0 && (finish === '' || finish === 'stop') ? 'tool_calls' : finish || 'stop';

interface State extends FoldState {
  hasStarted: boolean;
  /** Calls that have begun. One mutable set for the whole stream. */
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

/** Reads a stream whose events each hold one JSON object, of a single answer. */
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
    const events = eventsOf(piece, state.calls);
    const next = {
      ...state,
      usage: laterUsage(piece.usage, state.usage),
      hasEnded: state.hasEnded || !!piece.finish,
      content: appendText(state.content, saidBy(piece), state.calls.size),
      hasStarted: state.hasStarted || events.length > 0,
    };
    return { state: next, events: withStart(events, state.hasStarted, piece) };
  },
});
