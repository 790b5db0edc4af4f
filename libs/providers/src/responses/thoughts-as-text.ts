import type { Json, JsonObject } from '../adapter.js';
import { CLOSE_THOUGHT, OPEN_THOUGHT } from '../conversation/thoughts.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { type ItemStatus, textContent } from './items.js';
import { ENDINGS } from './parts.js';

// Implements the channel's setting `thinking_to_content` for upstreams of this dialect. The item of a thought is kept, because upstreams
// refuse a call that is sent back without it, but it is emptied; its text is sent before it, as a message.

const BETWEEN = '\n\n';

const textsOf = (parts: Json | undefined): string[] =>
  arrayOf(parts)
    .map((part) => textOf(objectOf(part).text))
    .filter((text) => text !== '');

const saidBy = ({ summary, content }: JsonObject): string => [...textsOf(summary), ...textsOf(content)].join(BETWEEN);

const isThought = (item: JsonObject): boolean => textOf(item.type) === 'reasoning';

const silent = (item: JsonObject): JsonObject => ({ ...item, summary: [], ...('content' in item && { content: [] }) });

const messageId = (item: JsonObject): string => `msg_${textOf(item.id).replace(/^rs_/, '')}`;

const message = (item: JsonObject, text: string, status: ItemStatus): JsonObject => ({
  ...{ id: messageId(item), type: 'message', status, role: 'assistant' },
  content: [textContent(text)],
});

/** The output of a complete response. */
export const outputWithThoughts = (output: readonly Json[]): Json[] =>
  output.flatMap((item) => {
    const thoughtText = isObject(item) && isThought(item) ? saidBy(item) : '';
    if (!isObject(item) || thoughtText === '') return [item];
    return [
      message(
        item,
        OPEN_THOUGHT + thoughtText + CLOSE_THOUGHT,
        item.status === 'incomplete' ? 'incomplete' : 'completed',
      ),
      silent(item),
    ];
  });

interface Thought {
  item: JsonObject;
  /** The event that began the thought, held until the thought ends, because the message with its text goes first. */
  began: JsonObject | undefined;
  /** The text sent so far, including the opening tag. */
  text: string;
  /** A part of the thought has ended, so the next text is preceded by `BETWEEN`. */
  isBetween: boolean;
}

const PIECES = new Set(['response.reasoning_summary_text.delta', 'response.reasoning_text.delta']);
const PARTS = /^response\.(?:reasoning_|content_part\.)/;

/** Rewrites the events of a response so that thoughts become messages, and adjusts sequence numbers and item indexes. */
export class ThoughtsAsText {
  private readonly thoughts = new Map<number, Thought>();
  /** Indexes of thoughts before which a message was inserted. */
  private readonly writtenPlaces = new Set<number>();
  /** Characters kept until the open thoughts end. */
  waiting = 0;

  /** The events to send for one of the upstream, in order; empty for events that a message replaces. */
  events(json: JsonObject): JsonObject[] {
    const place = json.output_index;
    const type = textOf(json.type);
    if (isObject(json.response)) return [...(ENDINGS.has(type) ? this.left() : []), withOutput(json, json.response)];
    if (typeof place !== 'number') return [json];
    const item = objectOf(json.item);
    if (type === 'response.output_item.added' && isThought(item)) {
      this.thoughts.set(place, { item, began: json, text: '', isBetween: false });
      return [];
    }
    const thought = this.thoughts.get(place);
    if (!thought) return [this.placed(json, place)];
    if (type === 'response.output_item.done') return this.end(place, thought, json);
    if (PIECES.has(type)) return this.say(place, thought, textOf(json.delta));
    if (!PARTS.test(type)) return [this.placed(json, place)];
    thought.isBetween ||= type.endsWith('.done');
    return [];
  }

  /** The event with its item's index shifted by the messages inserted before it. */
  private placed(json: JsonObject, place: number): JsonObject {
    const before = [...this.writtenPlaces].filter((at) => at <= place).length;
    return before === 0 ? json : { ...json, output_index: place + before };
  }

  private at(place: number, { item }: Thought): JsonObject {
    const before = [...this.writtenPlaces].filter((at) => at < place).length;
    return { item_id: messageId(item), output_index: place + before, content_index: 0 };
  }

  private delta(place: number, thought: Thought, delta: string): JsonObject {
    thought.text += delta;
    this.waiting += delta.length;
    return { type: 'response.output_text.delta', ...this.at(place, thought), delta, logprobs: [] };
  }

  private say(place: number, thought: Thought, text: string): JsonObject[] {
    if (text === '') return [];
    const begun = this.writtenPlaces.has(place) ? [] : this.begin(place, thought);
    const apart = thought.isBetween && begun.length === 0 ? BETWEEN : '';
    thought.isBetween = false;
    return [...begun, this.delta(place, thought, apart + text)];
  }

  private begin(place: number, thought: Thought): JsonObject[] {
    this.writtenPlaces.add(place);
    const at = this.at(place, thought);
    const item = { ...message(thought.item, '', 'in_progress'), content: [] };
    return [
      { type: 'response.output_item.added', output_index: at.output_index ?? place, item },
      { type: 'response.content_part.added', ...at, part: textContent('') },
      this.delta(place, thought, OPEN_THOUGHT),
    ];
  }

  private endMessage(place: number, thought: Thought, status: ItemStatus): JsonObject[] {
    const closing = this.delta(place, thought, CLOSE_THOUGHT);
    const at = this.at(place, thought);
    const { text, item } = thought;
    return [
      closing,
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: textContent(text) },
      {
        type: 'response.output_item.done',
        output_index: at.output_index ?? place,
        item: message(item, text, status),
      },
    ];
  }

  private end(place: number, thought: Thought, json: JsonObject): JsonObject[] {
    const item = objectOf(json.item);
    // Servers that do not stream a thought send it complete at its end.
    const late = thought.text === '' ? this.say(place, thought, saidBy(item)) : [];
    const { began } = thought;
    this.thoughts.delete(place);
    const message = this.writtenPlaces.has(place) ? this.endMessage(place, thought, 'completed') : [];
    const own = [began, { ...json, item: message.length > 0 ? silent(item) : item }].filter(
      (event) => event !== undefined,
    );
    return [...late, ...message, ...own.map((event) => this.placed(event, place))];
  }

  /** Events that close thoughts which are still open when the response ends. */
  private left(): JsonObject[] {
    const open = [...this.thoughts];
    this.thoughts.clear();
    return open.flatMap(([place, thought]) => {
      const message = this.writtenPlaces.has(place) ? this.endMessage(place, thought, 'incomplete') : [];
      return [...message, ...(thought.began ? [this.placed(thought.began, place)] : [])];
    });
  }
}

const withOutput = (json: JsonObject, response: JsonObject): JsonObject =>
  Array.isArray(response.output) && response.output.length > 0
    ? { ...json, response: { ...response, output: outputWithThoughts(response.output) } }
    : json;
