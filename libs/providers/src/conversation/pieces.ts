import type { SseEvent } from '../stream/sse.js';
import { parseObject } from '../json/json.js';
import type { JsonObject } from '../adapter.js';
import type { FoldState } from '../stream/stream-fold.js';
import type { StreamEvent } from './conversation.js';

/** The contents of one event, for upstreams that give a single answer. */
export interface Piece {
  /** `undefined` when the answer has begun before. */
  start?: { id: string };
  thought: string;
  text: string;
  isEnd: boolean;
}

export const piecesOf = ({ start, thought, text, isEnd }: Piece): StreamEvent[] => [
  ...(start ? [{ type: 'start' as const, id: start.id, model: '' }] : []),
  ...(thought ? [{ type: 'reasoning' as const, choice: 0, text: thought }] : []),
  ...(text ? [{ type: 'text' as const, choice: 0, text }] : []),
  ...(isEnd ? [{ type: 'finish' as const, choice: 0, reason: 'stop' }] : []),
];

/** The event's JSON, or the new state if it has none. The caller checks whether the JSON is an error. */
export function jsonOfEvent<State extends FoldState>(
  state: State,
  { data }: SseEvent,
): { json: JsonObject } | { json?: undefined; state: State } {
  if (data === undefined) return { state };
  const json = parseObject(data);
  return json ? { json } : { state: { ...state, malformedEvents: state.malformedEvents + 1 } };
}
