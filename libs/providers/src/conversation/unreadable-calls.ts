import { parseObject } from '../json/json.js';
import type { Misfit } from './shapes.js';
import { expected } from './shapes.js';
import type { Part, ToolCallPart, Turn } from './conversation.js';

/** Without any arguments is a way to call, too. What is no object was written by a model that was cut off, or that erred. */
const isUnreadable = (part: Part): part is ToolCallPart =>
  part.type === 'tool-call' && part.arguments.trim() !== '' && parseObject(part.arguments) === undefined;

/** The first call of what was said before whose arguments are no object. */
export function unreadableCall(turns: readonly Turn[]): Misfit | undefined {
  const call = turns.flatMap(({ parts }) => parts).find(isUnreadable);
  return call && expected('a text with a JSON object', call.at ?? '');
}

/** The turns without such calls, and without their results. */
export function withoutUnreadable(turns: readonly Turn[]): Turn[] {
  const left = new Set(turns.flatMap(({ parts }) => parts.filter(isUnreadable).map(({ id }) => id)));
  const isLeft = (part: Part): boolean =>
    isUnreadable(part) || (part.type === 'tool-result' && part.callId !== '' && left.has(part.callId));
  return turns
    .map(({ role, parts }) => ({ role, parts: parts.filter((part) => !isLeft(part)), isEmptied: parts.every(isLeft) }))
    .filter(({ role, isEmptied }) => role === 'assistant' || !isEmptied)
    .map(({ role, parts }) => ({ role, parts }));
}
