import {
  AmbiguousMember,
  geminiMemberRules,
  type JsonObject,
  lazyObject,
  type MemberEdits,
  replaceMembers,
  requestMembers,
  scanObject,
  type ScannedObject,
} from '@tollgate/providers';
import { Refusal } from '../call/refusal.js';
import type { Endpoint } from '../call/endpoints.js';
import { noRoom } from './body-reader.js';
import type { ByteClaim } from './byte-budget.js';
import { errorCodeOf } from './text-request.js';

/** Bytes from which a body is not parsed whole any more: what nobody asks for stays text, and goes upstream as one copy with edits. */
const LARGE = 256 * 1024;
/** Memory of a parsed text, by its bytes and by its values: the text as a string, its parts, and the objects around them. */
const PER_BYTE = 3;
const PER_VALUE = 64;

const invalid = (detail: string): Refusal =>
  new Refusal(400, `Invalid request, 无效的请求, ${detail}`, 'invalid_request');

/** A request body that every reader takes for the same request: valid, of bounded depth, its members named once and as documented. */
export interface RequestBody {
  bytes: Buffer;
  /** Of a large body each large member is parsed when it is read first. */
  json: JsonObject;
}

function scanned(bytes: Buffer, endpoint: Endpoint | 'playground'): ScannedObject {
  if (bytes.length === 0) throw invalid('EOF');
  try {
    return scanObject(
      bytes,
      endpoint === 'gemini' || endpoint === 'embedContents' ? geminiMemberRules : requestMembers,
    );
  } catch (error) {
    if (error instanceof AmbiguousMember) throw ambiguous(error, endpoint);
    throw invalid((error as Error).message.slice(0, 200));
  }
}

function ambiguous({ member, fault }: AmbiguousMember, endpoint: Endpoint | 'playground'): Refusal {
  const text =
    fault === 'repeated'
      ? `field ${member} must not be repeated`
      : `field ${member} is not accepted: names are case-sensitive, use ${member.toUpperCase().toLowerCase()}`;
  return new Refusal(400, text, errorCodeOf(endpoint), { param: member });
}

function take(claim: ByteClaim, bytes: number): void {
  const full = claim.take(bytes);
  if (full !== undefined) throw noRoom(full);
}

/** Throws 400 for what is no such body, and 503 when there is no room for what is made of it. */
export function parseBody(bytes: Buffer, endpoint: Endpoint | 'playground', claim: ByteClaim): RequestBody {
  const scan = scanned(bytes, endpoint);
  const count = (size: number): void =>
    take(claim, Math.ceil(size * (PER_BYTE + (PER_VALUE * scan.values) / bytes.length)));
  try {
    if (bytes.length > LARGE) {
      // And its values: whoever reads words only makes all of them, whatever they hold.
      take(claim, bytes.length + PER_VALUE * scan.values);
      return { bytes, json: lazyObject(bytes, scan, count) };
    }
    count(bytes.length);
    return { bytes, json: JSON.parse(bytes.toString('utf8')) as JsonObject };
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid(error.message.slice(0, 200));
    throw error;
  }
}

/** The same body with some members replaced, removed or added. */
export function changed({ bytes }: RequestBody, edits: MemberEdits, claim: ByteClaim): RequestBody {
  const edited = replaceMembers(bytes, edits);
  take(claim, edited.length);
  return parseBody(edited, 'chat', claim);
}
