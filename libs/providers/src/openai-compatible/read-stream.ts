import type { JsonObject } from '../adapter.js';
import { citationsIn } from '../conversation/citations.js';
import type { StreamEvent } from '../conversation/conversation.js';
import type { StreamReader } from '../conversation/converse.js';
import { arrayOf, objectOf, textOf } from '../json/json.js';
import type { FoldState } from '../stream/stream-fold.js';
import { beforeFirstEvent } from '../stream/stream-fold.js';
import { appendText } from '../stream/transcript.js';
import type { UsageQuirks } from '../usage.js';
import { laterUsage, usageIn } from '../usage.js';
import { readOpenAiEvent, readOpenAiPart, thoughtOf, wordsOf } from './parts.js';

interface State extends FoldState {
  hasStarted: boolean;
  /** One mutable object for the whole stream. */
  calls: Calls;
}

const indexOf = ({ index }: JsonObject, position: number): number => (typeof index === 'number' ? index : position);

/** The calls that have begun. Some upstreams number all calls of an answer alike, or not at all; their ids tell them apart. */
class Calls {
  /** The last call begun at each number of the upstream, by `choice:number`. */
  private readonly last = new Map<string, { index: number; id: string }>();
  private readonly counts = new Map<number, number>();
  size = 0;

  place(call: JsonObject, choice: number, number: number): { index: number; isNew: boolean } {
    const key = `${choice}:${number}`;
    const known = this.last.get(key);
    const id = textOf(call.id);
    const isOther = id !== '' && textOf(objectOf(call.function).name) !== '' && id !== known?.id;
    if (known && !isOther) return { index: known.index, isNew: false };
    const index = Math.max(known ? 0 : number, this.counts.get(choice) ?? 0);
    this.last.set(key, { index, id });
    this.counts.set(choice, index + 1);
    this.size += 1;
    return { index, isNew: true };
  }
}

/** A call's first piece has its name and id; later pieces have arguments only. */
function callEvents(call: JsonObject, place: { choice: number; index: number }, isNew: boolean): StreamEvent[] {
  const fn = objectOf(call.function);
  const text = textOf(fn.arguments);
  return [
    ...(isNew ? [{ type: 'tool-call' as const, ...place, id: textOf(call.id), name: textOf(fn.name) }] : []),
    ...(text ? [{ type: 'tool-arguments' as const, ...place, text }] : []),
  ];
}

function choiceEvents(item: JsonObject, choice: number, calls: Calls): StreamEvent[] {
  const delta = objectOf(item.delta);
  const reasoning = thoughtOf(delta);
  const text = wordsOf(delta);
  const reason = textOf(item.finish_reason);
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, choice, text: reasoning }] : []),
    ...(text ? [{ type: 'text' as const, choice, text }] : []),
    ...citationsIn(delta.annotations).map((citation) => ({ type: 'citation' as const, choice, citation })),
    ...arrayOf(delta.tool_calls).flatMap((value, position) => {
      const call = objectOf(value);
      const { index, isNew } = calls.place(call, choice, indexOf(call, position));
      return callEvents(call, { choice, index }, isNew);
    }),
    ...(reason ? [{ type: 'finish' as const, choice, reason }] : []),
  ];
}

/** Reads chat chunks. */
export const chatStreamReader = (quirks: UsageQuirks): StreamReader<State> => ({
  initialState: () => ({ ...beforeFirstEvent, hasStarted: false, calls: new Calls() }),

  read(before, event, context) {
    const { json, state } = readOpenAiEvent(before, event, context);
    if (!json) return { state, events: [] };
    const part = readOpenAiPart(json);
    const { calls } = state;
    const start: StreamEvent[] = state.hasStarted
      ? []
      : [{ type: 'start', id: part.id ?? '', model: part.model ?? '' }];
    const events = arrayOf(json.choices)
      .map(objectOf)
      .flatMap((item, position) => choiceEvents(item, indexOf(item, position), calls));
    return {
      state: {
        ...state,
        usage: laterUsage(usageIn(json, quirks), state.usage),
        hasEnded: state.hasEnded || part.isLast === true,
        content: appendText(state.content, part.text, calls.size),
        hasStarted: true,
      },
      events: [...start, ...events],
    };
  },
});
