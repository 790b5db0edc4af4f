import type { Json, JsonObject } from '../adapter.js';
import { arrayOf, objectOf } from '../json/json.js';

/** Anthropic refuses a smaller budget of thinking. */
export const MIN_BUDGET = 1024;

/** An empty signature is that of a thought of another upstream, which signs none. */
const isThought = ({ type, signature }: JsonObject): boolean =>
  type === 'redacted_thinking' || (type === 'thinking' && signature !== '');

/** Whether a budget is set. Adaptive thinking has none, and none of its conditions. */
export const hasBudget = ({ thinking }: JsonObject): boolean => objectOf(thinking).type === 'enabled';

/**
 * Whether the answer continues a turn whose calls have lost their thoughts. Anthropic refuses a budget of thinking then; without one, the
 * turn goes on.
 */
export function continuesBareCalls(messages: Json | undefined): boolean {
  const last = arrayOf(messages).findLast((message) => objectOf(message).role === 'assistant');
  const blocks = arrayOf(objectOf(last).content).map(objectOf);
  return blocks.some(({ type }) => type === 'tool_use') && !blocks.some(isThought);
}
