import type { ChannelTarget, ClientRequest, JsonObject, TextAdapter, UpstreamRequest } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { refusalOf, unpricedUnchanged } from '../request/costly-fields.js';
import { type MemberEdits, replaceMembers } from '../json/replace-members.js';

/** How an upstream of another dialect reads the bytes of a client that an operator wants passed on as they are. See docs/adr/0046. */
export interface RawReader {
  /** What of a body bounds its cost there, in the names of chat. */
  bounds?(json: JsonObject): JsonObject;
  /** Where the answer is limited there: what has to change so that it has no more tokens. */
  limit?(json: JsonObject, most: number): MemberEdits;
  /** The path of what no hold could bound there, and why it is refused. */
  faultIn?(request: ClientRequest): { text: string; at: string } | undefined;
}

const NO_EDITS: MemberEdits = new Map();

/** An upstream that is told in one member how long an answer may be. */
export const limitedBy = (member: string, least = 1): RawReader => ({
  bounds: (json) => ({ max_tokens: json[member] }),
  limit({ [member]: stated }, most) {
    const isWithin = typeof stated === 'number' && stated > 0 && stated <= most;
    return isWithin ? NO_EDITS : new Map([[member, Math.max(most, least)]]);
  },
});

function bytesFor(reader: RawReader, request: ClientRequest, errorCode: string): Buffer {
  const { json, bytes, outputLimit } = request;
  const unpriced = unpricedUnchanged(json);
  const fault = unpriced ? { text: refusalOf(unpriced), at: unpriced.member } : reader.faultIn?.(request);
  if (fault) throw new RequestRejected(errorCode, fault.text, fault.at);
  return outputLimit === undefined ? bytes : replaceMembers(bytes, reader.limit?.(json, outputLimit) ?? NO_EDITS);
}

/**
 * The client's bytes where those of a conversion would go. Address and headers do not depend on what is said, so `said` may be anything
 * that can be: they are those of a request that says it.
 */
export const unchangedOver = (
  reader: RawReader,
  { toUpstream }: Pick<TextAdapter, 'toUpstream'>,
  { said, errorCode }: { said: JsonObject; errorCode: string },
): Required<Pick<TextAdapter, 'unchanged' | 'boundsUnchanged'>> => ({
  unchanged(request: ClientRequest, target: ChannelTarget): UpstreamRequest {
    const { outputLimit: _, ...rest } = request;
    const { model, stream } = request.json;
    const json: JsonObject = { model, stream, ...said };
    const { url, headers, method } = toUpstream({ ...rest, json, bytes: Buffer.from(JSON.stringify(json)) }, target);
    return { method, url, headers, body: bytesFor(reader, request, errorCode) };
  },
  boundsUnchanged: (json) => reader.bounds?.(json),
});
