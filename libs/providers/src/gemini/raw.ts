import type { ClientRequest, JsonObject } from '../adapter.js';
import type { RawReader } from '../conversation/unchanged.js';
import { AmbiguousMember, scanObject } from '../json/json-scan.js';
import { unlistedField } from '../request/listed.js';
import { geminiBounds } from './bounds.js';
import { objectAt, spellingOf } from './fields.js';
import { geminiMemberRules } from './member-rules.js';

/**
 * Finds a member of Google's dialect that is repeated or in an undocumented spelling. A chat client's body has only been checked for
 * members of chat.
 */
function ambiguousIn({ bytes }: ClientRequest): ReturnType<NonNullable<RawReader['faultIn']>> {
  try {
    scanObject(bytes, geminiMemberRules);
    return undefined;
  } catch (error) {
    if (!(error instanceof AmbiguousMember)) throw error;
    const { member } = error;
    return { at: member, text: `field ${member} must stand once, in the letters of its documentation` };
  }
}

function unlistedIn({ json }: ClientRequest): ReturnType<NonNullable<RawReader['faultIn']>> {
  const at = unlistedField(json, 'gemini');
  return at === undefined ? undefined : { at, text: `field ${at} is invalid: a list of objects is expected` };
}

function limitEdits(json: JsonObject, most: number): Map<string, JsonObject> {
  const config = objectAt(json, 'generationConfig');
  const name = spellingOf(config, 'maxOutputTokens');
  const stated = config[name];
  if (typeof stated === 'number' && stated > 0 && stated <= most) return new Map();
  return new Map([[spellingOf(json, 'generationConfig'), { ...config, [name]: most }]]);
}

/** Reads a chat client's bytes that are passed on unchanged to Google, which looks for its own members in them. */
export const rawGemini: RawReader = {
  bounds: geminiBounds,
  limit: limitEdits,
  faultIn: (request) => ambiguousIn(request) ?? unlistedIn(request),
};
