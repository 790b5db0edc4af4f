import {
  AmbiguousMember,
  type Dialect,
  geminiMemberRules,
  type JsonObject,
  lazyObject,
  type MemberEdits,
  type MemberRules,
  quickValues,
  replaceMembers,
  requestMembers,
  scanObject,
  type ScannedObject,
  taskMemberRules,
} from '@tollgate/providers';
import { Refusal } from '../call/refusal.js';
import { type Endpoint, ENDPOINTS } from '../call/endpoints.js';
import { noRoom } from './body-reader.js';
import { invalidBody } from './body-refusals.js';
import type { ByteClaim } from './byte-budget.js';
import { errorCodeOf } from './text-request.js';

/**
 * Bytes from which a body is not parsed as a whole: members that are not read stay unparsed, and edits are made to one
 * copy of the bytes.
 */
const LARGE = 256 * 1024;
/**
 * Estimated memory of a parsed text per byte and per value: the text as a string, its parts, and the objects around
 * them.
 */
const PER_BYTE = 3;
const PER_VALUE = 64;

/**
 * A request body that no parser can read differently: valid JSON of bounded depth, each member named once and spelled
 * as documented.
 */
export interface RequestBody {
  bytes: Buffer;
  /** In a large body each large member is parsed when it is first read. */
  json: JsonObject;
}

/** What a body is for. */
type Asked = Endpoint | 'playground' | 'task';

const memberRules: Readonly<Record<Dialect, MemberRules>> = {
  openai: requestMembers,
  anthropic: requestMembers,
  responses: requestMembers,
  gemini: geminiMemberRules,
};

function rulesOf(endpoint: Asked): MemberRules {
  if (endpoint === 'task') return taskMemberRules;
  return memberRules[endpoint === 'playground' ? 'openai' : ENDPOINTS[endpoint].dialect];
}

function scanned(bytes: Buffer, endpoint: Asked): ScannedObject {
  if (bytes.length === 0) throw invalidBody('EOF');
  try {
    return scanObject(bytes, rulesOf(endpoint));
  } catch (error) {
    if (error instanceof AmbiguousMember) throw ambiguous(error, endpoint);
    throw invalidBody((error as Error).message.slice(0, 200));
  }
}

function ambiguous({ member, fault }: AmbiguousMember, endpoint: Asked): Refusal {
  const lower = member.toUpperCase().toLowerCase();
  const spelling = rulesOf(endpoint).isDocumented(lower, lower) ? lower : 'the documented spelling';
  const text =
    fault === 'repeated'
      ? `field ${member} must not be repeated`
      : `field ${member} is not accepted: names are case-sensitive, use ${spelling}`;
  return new Refusal(400, text, errorCodeOf(endpoint === 'task' ? 'playground' : endpoint), { param: member });
}

function take(claim: ByteClaim, bytes: number): void {
  const full = claim.take(bytes);
  if (full !== undefined) throw noRoom(full);
}

/** Throws 400 for a body that is invalid or ambiguous, and 503 when there is no memory for the parsed form of it. */
export function parseBody(bytes: Buffer, endpoint: Asked, claim: ByteClaim): RequestBody {
  return bytes.length > LARGE ? lazyBody(bytes, endpoint, claim) : wholeBody(bytes, endpoint, claim);
}

function wholeBody(bytes: Buffer, endpoint: Asked, claim: ByteClaim): RequestBody {
  const text = bytes.toString('utf8');
  const values = quickValues(text, rulesOf(endpoint)) ?? scanned(bytes, endpoint).values;
  take(claim, PER_BYTE * bytes.length + PER_VALUE * values);
  return { bytes, json: parsed(text, bytes, endpoint) };
}

function parsed(text: string, bytes: Buffer, endpoint: Asked): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch (error) {
    // Only the full scan states the position of the fault in bytes.
    scanned(bytes, endpoint);
    throw invalidBody((error as Error).message.slice(0, 200));
  }
}

function lazyBody(bytes: Buffer, endpoint: Asked, claim: ByteClaim): RequestBody {
  const scan = scanned(bytes, endpoint);
  // Also counts the values: a reader of the prompt's words parses all of them, whatever they contain.
  take(claim, bytes.length + PER_VALUE * scan.values);
  const count = (size: number): void =>
    take(claim, Math.ceil(size * (PER_BYTE + (PER_VALUE * scan.values) / bytes.length)));
  try {
    return { bytes, json: lazyObject(bytes, scan, count) };
  } catch (error) {
    if (error instanceof SyntaxError) throw invalidBody(error.message.slice(0, 200));
    throw error;
  }
}

/** The same body with some members replaced, removed or added. */
export function changed({ bytes }: RequestBody, edits: MemberEdits, claim: ByteClaim): RequestBody {
  const edited = replaceMembers(bytes, edits);
  take(claim, edited.length);
  return parseBody(edited, 'chat', claim);
}
