import type { Usage } from '@tollgate/contracts';
import type { JsonObject } from '../adapter.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamReader } from '../conversation/converse.js';
import { withStart } from '../conversation/pieces.js';
import { objectOf, parseObject, textOf } from '../json/json.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import { callsOf, cohereFault, cohereUsage, finishOf, wordsOf } from './read-reply.js';

interface State extends FoldState {
  hasStarted: boolean;
  /** Stated by the event that opens the stream. */
  id: string;
  hasText: boolean;
  calls: number;
}

interface Step {
  events: StreamEvent[];
  text: string;
  calls: number;
}

/** Cohere sends calls in pieces and then complete; only the complete ones are read. */
function callStep(json: JsonObject, before: number): Step {
  const calls = callsOf(json.tool_calls);
  const events = calls.flatMap(({ id, name, arguments: text }, position): StreamEvent[] => {
    const place = { choice: 0, index: before + position };
    return [
      { type: 'tool-call', ...place, id, name },
      { type: 'tool-arguments', ...place, text },
    ];
  });
  return { events, text: wordsOf('', calls), calls: before + calls.length };
}

function stepOf(json: JsonObject, { hasText, calls }: State): Step {
  const kind = textOf(json.event_type);
  // Text beside calls is repeated with the complete calls and at the end.
  const repeats = kind === 'tool-calls-generation' || kind === 'stream-end' || json.is_finished === true;
  const newText = textOf(json.text) || (kind === 'stream-end' ? textOf(objectOf(json.response).text) : '');
  const text = repeats && hasText ? '' : newText;
  const words: StreamEvent[] = text === '' ? [] : [{ type: 'text', choice: 0, text }];
  const called = callStep(kind === 'stream-end' && calls === 0 ? objectOf(json.response) : json, calls);
  return { events: [...words, ...called.events], text: text + called.text, calls: called.calls };
}

interface End {
  isOver: boolean;
  reason: string;
  usage: Usage | undefined;
}

function endOf(json: JsonObject, response: JsonObject): End {
  const isOver = json.is_finished === true || json.event_type === 'stream-end';
  const reason = textOf(json.finish_reason) || textOf(response.finish_reason);
  return { isOver, reason, usage: cohereUsage(response.meta) };
}

/** Reads one object per line; the last one has the whole answer and its billed units. */
export const cohereStreamReader: StreamReader<State> = {
  initialState: () => ({ ...beforeFirstEvent, hasStarted: false, id: '', hasText: false, calls: 0 }),

  read(before, { data }, { secrets }) {
    if (data === undefined) return { state: before, events: [] };
    const json = parseObject(data);
    if (!json) return { state: { ...before, malformedEvents: before.malformedEvents + 1 }, events: [] };
    const response = objectOf(json.response);
    const fault = cohereFault({ ...json, finish_reason: json.finish_reason ?? response.finish_reason }, secrets);
    if (fault) return { state: { ...before, fault }, events: [] };
    const id = before.id || textOf(json.generation_id) || textOf(response.generation_id);
    const step = stepOf(json, before);
    const { isOver, reason, usage } = endOf(json, response);
    const end: StreamEvent[] = isOver ? [{ type: 'finish', choice: 0, reason: finishOf(reason, step.calls) }] : [];
    const events = [...step.events, ...end];
    return {
      state: {
        ...before,
        hasStarted: before.hasStarted || events.length > 0,
        id,
        hasText: before.hasText || step.events.some(({ type }) => type === 'text'),
        calls: step.calls,
        usage: usage ?? before.usage,
        content: appendText(before.content, step.text, step.calls),
        hasEnded: before.hasEnded || isOver,
        isDone: isOver,
      },
      events: withStart(events, before.hasStarted, { id }),
    };
  },
};
