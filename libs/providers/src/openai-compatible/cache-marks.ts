import type { JsonObject } from '../adapter.js';
import type { Conversation, TextPart, Tool, Turn } from '../conversation/conversation.js';
import { arrayOf, objectOf } from '../json/json.js';

const isMarked = ({ cacheControl }: TextPart | Tool): boolean => cacheControl !== undefined;

const markOf = ({ cacheControl }: Partial<TextPart | Tool> = {}): JsonObject =>
  cacheControl === undefined ? {} : { cache_control: cacheControl };

/**
 * The written request with the cache markers of the system and the tools, for upstreams that know them there. Others may refuse the member,
 * or a list for the system.
 */
export function withCacheMarks(json: JsonObject, { system, tools }: Conversation): JsonObject {
  const said = system.filter(({ text }) => text !== '');
  const [, ...turns] = arrayOf(json.messages);
  const content = said.map((part) => ({ type: 'text', text: part.text, ...markOf(part) }));
  return {
    ...json,
    ...(said.some(isMarked) && { messages: [{ role: 'system', content }, ...turns] }),
    ...(tools.some(isMarked) && {
      tools: arrayOf(json.tools).map((tool, index) => ({ ...objectOf(tool), ...markOf(tools[index]) })),
    }),
  };
}

/** The turns without their cache markers, which other upstreams may refuse; a text is then written plainly. */
export const withoutCacheMarks = (turns: Turn[]): Turn[] =>
  turns.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => ('cacheControl' in part ? { ...part, cacheControl: undefined } : part)),
  }));
