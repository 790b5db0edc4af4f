import { parseObject } from '../json/json.js';
import type { Misfit } from './shapes.js';
import { expected } from './shapes.js';
import type { Part, ToolCallPart, Turn } from './conversation.js';

/** Calls may have no arguments at all. Arguments that are not a JSON object come from a model that was cut off or made a mistake. */
const isUnreadable = (part: Part): part is ToolCallPart =>
  part.type === 'tool-call' && part.arguments.trim() !== '' && parseObject(part.arguments) === undefined;

/** The first earlier call whose arguments are not an object. */
export function unreadableCall(turns: readonly Turn[]): Misfit | undefined {
  const call = turns.flatMap(({ parts }) => parts).find(isUnreadable);
  return call && expected('a text with a JSON object', call.at ?? '');
}
