import { type Json, type JsonObject, mayShowPictures, outlineOf } from '@tollgate/providers';
import type { RelayCall } from '../call/relay-call.js';

const MAX_LIMIT = 2 ** 30 - 1;

/** Whether a limit of tokens is a plain number that every check accepts. */
export const isPlainLimit = (value: Json | undefined): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_LIMIT;

type Check = (value: Json | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isName: Check = (value) => typeof value === 'string' && value !== '';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => Number.isFinite(value);

/** Whether the value is an object that has only these members, each with a value that its check accepts. */
function hasOnly(checks: ReadonlyMap<string, Check>, value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const object: JsonObject = value;
  for (const name of Object.keys(object)) if (checks.get(name)?.(object[name]) !== true) return false;
  return true;
}

/** Pictures in a text may cost more than its characters. */
const isWords: Check = (value) => typeof value === 'string' && !mayShowPictures(value);

const ofMessage = new Map([
  ['role', isText],
  ['content', isWords],
  ['name', isText],
]);
const isMessage = (value: Json): boolean => hasOnly(ofMessage, value);
const isMessages: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isMessage);

const ofStreamOptions = new Map([['include_usage', isFlag]]);

const ofChat = new Map<string, Check>([
  ['model', isName],
  ['messages', isMessages],
  ['stream', isFlag],
  ['stream_options', (value) => hasOnly(ofStreamOptions, value)],
  ['max_tokens', isPlainLimit],
  ['max_completion_tokens', isPlainLimit],
  ['temperature', isNumber],
  ['top_p', isNumber],
  ['presence_penalty', isNumber],
  ['frequency_penalty', isNumber],
  ['seed', isNumber],
]);

/**
 * Whether the request is a chat of plain texts whose every member is listed here with an ordinary value. It passes all
 * checks of `checkRequest`, and its bound follows from its size and limit alone (see `simpleBound`), so neither has to
 * visit its parts. Most requests are such chats.
 */
export function isSimpleChat({ json, endpoint }: Pick<RelayCall, 'json' | 'endpoint'>): boolean {
  // A large body has members that are parsed when they are first read.
  if (endpoint !== 'chat' || outlineOf(json) !== json) return false;
  return hasOnly(ofChat, json) && json.model !== undefined && json.messages !== undefined;
}
