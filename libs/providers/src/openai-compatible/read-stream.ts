import type { JsonObject } from '../adapter.js';
import { citationsIn } from '../conversation/citations.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamReader } from '../conversation/converse.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';
import { ChoiceEnds } from '../stream/choice-ends.js';
import { NewText } from '../stream/new-text.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import type { UsageQuirks } from '../usage.js';
import { laterUsage, usageIn } from '../usage.js';
import { answerText, choiceIndex, readOpenAiEvent, readOpenAiPart, thoughtText } from './parts.js';
import { StreamedCalls } from './streamed-calls.js';

interface State extends FoldState {
  hasStarted: boolean;
  /** One mutable object for the whole stream. */
  calls: StreamedCalls;
  /** As `calls`. */
  ends: ChoiceEnds;
  /** As `calls`. */
  newText: NewText;
}

function choiceEvents(item: JsonObject, choice: number, { calls, newText }: State): StreamEvent[] {
  const delta = objectOf(item.delta ?? (newText.hasSaid(choice) ? undefined : item.message));
  const reasoning = thoughtText(delta);
  const text = answerText(delta);
  const reason = textOf(item.finish_reason);
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, choice, text: reasoning }] : []),
    ...(text ? [{ type: 'text' as const, choice, text }] : []),
    ...citationsIn(delta.annotations).map((citation) => ({ type: 'citation' as const, choice, citation })),
    ...arrayOf(delta.tool_calls).flatMap((value, position) => {
      const call = objectOf(value);
      return calls.read(call, { choice, number: typeof call.index === 'number' ? call.index : undefined, position });
    }),
    ...(reason ? [{ type: 'finish' as const, choice, reason }] : []),
  ];
}

/** Reads chat chunks. */
export const chatStreamReader = (quirks: UsageQuirks): StreamReader<State> => ({
  initialState: () => ({
    ...{ ...beforeFirstEvent, hasStarted: false },
    ...{ calls: new StreamedCalls(), ends: new ChoiceEnds(), newText: new NewText() },
  }),

  read(before, event, context) {
    const { json, state } = readOpenAiEvent(before, event, context);
    const { calls, ends, newText } = state;
    if (!json) return { state, events: [] };
    const part = readOpenAiPart(json);
    ends.add(part);
    const start: StreamEvent[] = state.hasStarted
      ? []
      : [{ type: 'start', id: part.id ?? '', model: part.model ?? '' }];
    const events = arrayOf(json.choices)
      .map(objectOf)
      .flatMap((item, position) => choiceEvents(item, choiceIndex(item, position), state));
    return {
      state: {
        ...state,
        usage: laterUsage(usageIn(json, quirks), state.usage),
        hasEnded: ends.areAll,
        content: appendText(state.content, newText.of(part), calls.size),
        hasStarted: true,
      },
      events: [...start, ...events],
    };
  },
});
