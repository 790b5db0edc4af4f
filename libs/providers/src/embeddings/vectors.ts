import type { Usage } from '@tollgate/contracts';
import type { Json, Reply, ReplyContext, UpstreamFault } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { arrayOf } from '../json/json.js';
import { noText } from '../stream/transcript.js';
import { toOpenAiUsage } from '../usage.js';

/** The texts to embed, for upstreams that accept only texts. */
export function textsIn(input: unknown, provider: string): string[] {
  const list: unknown[] = Array.isArray(input) ? input : [input];
  if (list.every((item) => typeof item === 'string')) return list;
  throw new RequestRejected('invalid_embedding_request', `${provider} embeds texts only, no lists of tokens`);
}

/** OpenAI's clients request base64 by default: little-endian 32-bit floats. */
const encoded = (vector: Json, format: unknown): Json =>
  format === 'base64' ? Buffer.from(new Float32Array(arrayOf(vector).map(Number)).buffer).toString('base64') : vector;

export const noVectors = (body: Buffer, fault: UpstreamFault): Reply => ({
  body,
  usage: undefined,
  fault,
  text: () => noText,
});

/** OpenAI's list with one vector per input, and the booked usage. */
export function vectorsReply(
  vectors: readonly Json[],
  usage: Usage | undefined,
  { model, request = {} }: Pick<ReplyContext, 'model' | 'request'>,
): Reply {
  const list = {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoded(vector, request.encoding_format),
    })),
    model,
  };
  const withUsage = (booked: Usage): Buffer => {
    const { prompt_tokens } = toOpenAiUsage(booked);
    return Buffer.from(JSON.stringify({ ...list, usage: { prompt_tokens, total_tokens: prompt_tokens } }));
  };
  const body = usage ? withUsage(usage) : Buffer.from(JSON.stringify(list));
  return { body, usage, text: () => noText, withUsage };
}
