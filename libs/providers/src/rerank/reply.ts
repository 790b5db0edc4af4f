import type { Usage } from '@tollgate/contracts';
import type { Json, JsonObject, Reply, ReplyContext, UpstreamFault } from '../adapter.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, isObject, objectOf, parseObject } from '../json/json.js';
import { noText } from '../stream/transcript.js';
import { openAiUsage, toOpenAiUsage } from '../usage.js';

const documentOf = (value: Json): Json => (typeof value === 'string' ? { text: value } : value);

/** Adds the document if the client asked for it, taken from the request if the upstream omitted it. */
function withDocument(item: JsonObject, request: JsonObject): JsonObject {
  const { document = null, ...rest } = item;
  const original =
    request.return_documents === true && typeof item.index === 'number'
      ? arrayOf(request.documents)[item.index]
      : undefined;
  const found = document ?? original;
  return found === undefined || found === null ? rest : { ...rest, document: documentOf(found) };
}

/**
 * Jina states a total, which consists of prompt tokens; SiliconFlow and Xinference state input and output. Cohere charges per search and
 * may state no tokens; they are then counted here.
 */
function rerankUsage({ usage, meta, tokens }: JsonObject): Usage | undefined {
  const { total_tokens: total } = objectOf(usage);
  if (typeof total === 'number') return openAiUsage({ prompt_tokens: total, completion_tokens: 0 });
  const { billed_units: billed, tokens: counted } = objectOf(meta);
  return [usage, billed, counted, tokens]
    .map((block) => (isObject(block) ? openAiUsage(block, { hasNoOutput: true }) : undefined))
    .find((stated) => stated !== undefined);
}

const failed = (body: Buffer, fault: UpstreamFault): Reply => ({ body, usage: undefined, fault, text: () => noText });

/** A ranking for the client with the upstream's other members and the booked usage. */
function rankingReply(
  results: JsonObject[],
  rest: JsonObject,
  usage: Usage | undefined,
  requestBody: JsonObject,
): Reply {
  const ranking = { ...rest, results: results.map((item) => withDocument(item, requestBody)) };
  const withUsage = (booked: Usage): Buffer => {
    const { prompt_tokens, completion_tokens, total_tokens } = toOpenAiUsage(booked);
    return Buffer.from(JSON.stringify({ ...ranking, usage: { prompt_tokens, completion_tokens, total_tokens } }));
  };
  const body = usage ? withUsage(usage) : Buffer.from(JSON.stringify(ranking));
  return { body, usage, text: () => noText, withUsage };
}

/** Reads a reply in the dialect of Jina and Cohere. */
export function jinaReply(body: Buffer, { request = {}, secrets }: ReplyContext): Reply {
  const json = parseObject(body.toString('utf8'));
  const fault = json && findFault(json, secrets);
  if (!json || fault || !Array.isArray(json.results)) return failed(body, fault ?? unreadableReply);
  const { results, ...rest } = json;
  return rankingReply(arrayOf(results).map(objectOf), rest, rerankUsage(json), request);
}

/** Workers AI refers to contexts by index: `{ result: { response: [{ id, score }] } }`. */
export function cloudflareReply(body: Buffer, { request = {}, secrets, model }: ReplyContext): Reply {
  const json = parseObject(body.toString('utf8'));
  const fault = json && findFault(json, secrets);
  const { response, usage } = objectOf(json?.result);
  if (!json || fault || !Array.isArray(response)) return failed(body, fault ?? unreadableReply);
  const results = arrayOf(response)
    .map(objectOf)
    .map(({ id, score }) => ({ index: id, relevance_score: score }));
  return rankingReply(results, { model }, rerankUsage({ usage }), request);
}
