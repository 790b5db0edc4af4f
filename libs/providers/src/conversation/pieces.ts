import type { SseEvent } from '../stream/sse.js';
import { parseObject } from '../json/json.js';
import type { JsonObject } from '../adapter.js';
import type { FoldState } from '../stream/stream-fold.js';
import type { StreamEvent } from './conversation.js';

/** The contents of one event, for upstreams that give a single answer. */
export interface Piece {
  thought: string;
  text: string;
  isEnd: boolean;
}

export const piecesOf = ({ thought, text, isEnd }: Piece): StreamEvent[] => [
  ...(thought ? [{ type: 'reasoning' as const, choice: 0, text: thought }] : []),
  ...(text ? [{ type: 'text' as const, choice: 0, text }] : []),
  ...(isEnd ? [{ type: 'finish' as const, choice: 0, reason: 'stop' }] : []),
];

/**
 * The events, behind the start of the answer if it has not started yet. An event that says nothing does not start it: as long as the client
 * got nothing, a failure costs nothing and another channel can be tried.
 */
export const withStart = (
  events: StreamEvent[],
  hasStarted: boolean,
  { id = '', model = '' }: { id?: string; model?: string },
): StreamEvent[] => (hasStarted || events.length === 0 ? events : [{ type: 'start', id, model }, ...events]);

/** The event's JSON, or the new state if it has none. The caller checks whether the JSON is an error. */
export function jsonOfEvent<State extends FoldState>(
  state: State,
  { data }: SseEvent,
): { json: JsonObject } | { json?: undefined; state: State } {
  if (data === undefined) return { state };
  const json = parseObject(data);
  return json ? { json } : { state: { ...state, malformedEvents: state.malformedEvents + 1 } };
}
