import type { ChannelTarget, ClientRequest, JsonObject, TextAdapter, UpstreamRequest } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { refusalOf, unpricedUnchanged } from '../request/costly-fields.js';
import { type MemberEdits, replaceMembers } from '../json/replace-members.js';

/**
 * Describes how an upstream of another dialect reads a client's bytes that the operator has chosen to pass on unchanged. See docs/adr/0046.
 */
export interface RawReader {
  /** The members that bound the cost of the body at this upstream, under their names in chat. */
  bounds?(json: JsonObject): JsonObject;
  /** The edits that limit the answer to `most` tokens. */
  limit?(json: JsonObject, most: number): MemberEdits;
  /** A member whose cost at this upstream no hold covers: its path and the reason for the refusal. */
  faultIn?(request: ClientRequest): { text: string; at: string } | undefined;
}

const NO_EDITS: MemberEdits = new Map();

/** For an upstream with a single member that limits the answer. */
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
 * The client's bytes, sent to the address to which a converted request would go. Address and headers do not depend on the conversation, so
 * they are taken from the conversion of `conversation`, any valid conversation.
 */
export const unchangedOver = (
  reader: RawReader,
  { toUpstream }: Pick<TextAdapter, 'toUpstream'>,
  { conversation, errorCode }: { conversation: JsonObject; errorCode: string },
): Required<Pick<TextAdapter, 'unchanged' | 'boundsUnchanged'>> => ({
  unchanged(request: ClientRequest, target: ChannelTarget): UpstreamRequest {
    const { outputLimit: _, ...rest } = request;
    const { model, stream } = request.json;
    const json: JsonObject = { model, stream, ...conversation };
    const { url, headers, method } = toUpstream({ ...rest, json, bytes: Buffer.from(JSON.stringify(json)) }, target);
    return { method, url, headers, body: bytesFor(reader, request, errorCode) };
  },
  boundsUnchanged: (json) => reader.bounds?.(json),
});
