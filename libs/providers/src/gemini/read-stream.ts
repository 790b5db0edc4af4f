import type { JsonObject } from '../adapter.js';
import type { Part, StreamEvent } from '../conversation/conversation.js';
import type { StreamReader } from '../conversation/converse.js';
import { withStart } from '../conversation/pieces.js';
import { ChoiceEnds } from '../stream/choice-ends.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent, readJsonEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import { field, listAt, objectAt, textAt } from './fields.js';
import { choiceAt, picturesIn, readGeminiPart, replyParts, ReportedSearches, toFinishReason } from './parts.js';
import { blockedFault } from './read-reply.js';
import { laterUsage } from '../usage.js';
import { geminiUsage } from './usage.js';

interface State extends FoldState {
  hasStarted: boolean;
  /** Number of calls so far by candidate. One mutable map for the whole stream. */
  calls: Map<number, number>;
  /** As `calls`. */
  ends: ChoiceEnds;
  /** One mutable counter for the whole stream. */
  searches: ReportedSearches;
  pictures: number;
}

function eventsOf(part: Part, choice: number, index: number): StreamEvent[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', choice, text: part.text }];
    case 'thinking':
      return [{ type: 'reasoning', choice, text: part.text }];
    case 'image':
      return 'data' in part.source ? [{ type: 'image', choice, ...part.source }] : [];
    case 'tool-call': {
      const { id, name, arguments: text, signature } = part;
      const call = { type: 'tool-call' as const, choice, index, id, name, ...(signature && { signature }) };
      return [call, { type: 'tool-arguments', choice, index, text }];
    }
    default:
      return [];
  }
}

/** Google sends every call complete, in one event. */
function candidateEvents(
  candidate: JsonObject,
  choice: number,
  before: number,
): { events: StreamEvent[]; calls: number } {
  let calls = before;
  const events = replyParts(objectAt(candidate, 'content')).flatMap((part) => {
    const index = calls;
    if (part.type === 'tool-call') calls += 1;
    return eventsOf(part, choice, index);
  });
  const finish = toFinishReason(textAt(candidate, 'finishReason'));
  const reason = finish === 'stop' && calls > 0 ? 'tool_calls' : finish;
  return { events: reason ? [...events, { type: 'finish', choice, reason }] : events, calls };
}

/** Reads chunks of `:streamGenerateContent?alt=sse`. There is no terminal event: a finish reason marks the end. */
export const geminiStreamReader: StreamReader<State> = {
  initialState: () => ({
    ...beforeFirstEvent,
    hasStarted: false,
    calls: new Map(),
    ends: new ChoiceEnds(),
    searches: new ReportedSearches(),
    pictures: 0,
  }),

  read(before, event, context) {
    const { json, state } = readJsonEvent(before, event, context);
    if (!json) return { state, events: [] };
    const fault = blockedFault(json);
    if (fault) return { state: { ...state, fault }, events: [] };
    const part = readGeminiPart(json);
    const { calls, ends } = state;
    ends.add(part);
    let most = 0;
    const events: StreamEvent[] = [];
    for (const candidate of listAt(json, 'candidates')) {
      const choice = choiceAt(candidate);
      const read = candidateEvents(candidate, choice, calls.get(choice) ?? 0);
      calls.set(choice, read.calls);
      most = Math.max(most, read.calls);
      events.push(...read.events);
    }
    state.searches.add(json);
    // Every chunk states the cumulative usage.
    const pictures = state.pictures + picturesIn(json);
    const usage = laterUsage(geminiUsage(field(json, 'usageMetadata'), pictures), state.usage);
    const next = {
      ...state,
      usage,
      hasEnded: ends.areAll,
      content: {
        ...appendText(state.content, part.text, most),
        ...(pictures > 0 && { pictures }),
        ...state.searches.stated(),
      },
      pictures,
      hasStarted: state.hasStarted || events.length > 0,
    };
    return { state: next, events: withStart(events, state.hasStarted, part) };
  },
};
