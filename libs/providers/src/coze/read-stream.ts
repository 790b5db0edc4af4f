import type { JsonObject, UpstreamFault } from '../adapter.js';
import { jsonOfEvent, piecesOf, withStart } from '../conversation/pieces.js';
import type { StreamReader } from '../conversation/converse.js';
import { textOf } from '../json/json.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import { brokenChat, cozeFault, cozeUsage } from './read-reply.js';

interface State extends FoldState {
  hasStarted: boolean;
}

const CHAT = 'conversation.chat.';
const DELTA = 'conversation.message.delta';

/** The event's name states the outcome of a chat. */
function faultIn(type: string, json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const chat = type.startsWith(CHAT) ? { ...json, status: type.slice(CHAT.length) } : {};
  return brokenChat(chat, secrets) ?? cozeFault(json, secrets);
}

/** Text of answers only; inputs and outputs of a bot's plugins are skipped. */
function deltaOf(type: string, json: JsonObject): { text: string; thought: string } {
  const isAnswer = type === DELTA && (textOf(json.type) || 'answer') === 'answer';
  return isAnswer ? { text: textOf(json.content), thought: textOf(json.reasoning_content) } : { text: '', thought: '' };
}

/** Reads events by name. The event of the completed chat has the usage; `done` follows. */
export const cozeStreamReader: StreamReader<State> = {
  initialState: () => ({ ...beforeFirstEvent, hasStarted: false }),

  read(before, event, { secrets }) {
    const { type = '', data } = event;
    if (type === 'done' || data === '[DONE]') return { state: before, events: [] };
    const read = jsonOfEvent(before, event);
    if (!read.json) return { state: read.state, events: [] };
    const fault = faultIn(type, read.json, secrets);
    if (fault) return { state: { ...before, fault }, events: [] };
    const piece = { ...deltaOf(type, read.json), isEnd: type === `${CHAT}completed` };
    const { isEnd } = piece;
    const events = piecesOf(piece);
    const id = textOf(read.json.chat_id) || textOf(read.json.id);
    const state: State = {
      ...before,
      hasStarted: before.hasStarted || events.length > 0,
      usage: (isEnd && cozeUsage(read.json)) || before.usage,
      content: appendText(before.content, piece.thought + piece.text),
      hasEnded: before.hasEnded || isEnd,
      isDone: isEnd,
    };
    return { state, events: withStart(events, before.hasStarted, { id }) };
  },
};
