import type { JsonObject } from './adapter.js';
import { arrayOf, objectOf, textOf } from './json.js';
import { wordsOf } from './lazy-json.js';

/** Functions of these names are none of the client's where Gemini answers: they switch on what Google runs itself. */
const GOOGLE_TOOLS = ['codeExecution', 'googleSearch'] as const;
export type GoogleTool = (typeof GOOGLE_TOOLS)[number];

export const isGoogleTool = (name: string): boolean => GOOGLE_TOOLS.some((known) => known === name);

export const googleToolsAmong = (names: readonly string[]): GoogleTool[] =>
  GOOGLE_TOOLS.filter((known) => names.includes(known));

/** Those that the functions of a request of chat, messages or responses name. */
export const namedGoogleTools = (json: JsonObject): GoogleTool[] =>
  googleToolsAmong(
    arrayOf(wordsOf(json, 'tools', 0)).map((item) => {
      const { function: inner = null, name = null } = objectOf(item);
      return textOf(objectOf(inner).name) || textOf(name);
    }),
  );
