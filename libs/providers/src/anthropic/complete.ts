import type { ChannelTarget, ClientRequest, JsonObject, UpstreamRequest } from '../adapter.js';
import type { Conversation } from '../conversation/conversation.js';
import { stated } from '../conversation/conversation.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { limitedBy } from '../conversation/unchanged.js';
import { textOf } from '../json/json.js';
import { limitOf, overridden, PLACEHOLDER, refuseTools, textOnly } from '../plain/request.js';
import { type Piece, plainReader, plainReply } from '../plain/reply.js';
import { headersOf, urlOf } from './request.js';

const NAME = 'Claude 2';
const FALLBACK_MAX_TOKENS = 4096;
const SPEAKERS = { user: 'Human', assistant: 'Assistant' };

/** Models that only have the Text Completions API, which preceded Messages. */
export const isOfCompletions = (model: string): boolean => /^claude-(?:instant|v?[12](?![\d]))/.test(model);

/** Builds the prompt: the system text first and without a speaker, and at the end an open turn of the assistant. */
function promptOf({ system, turns }: Conversation): string {
  const dialogue = turns.map(({ role, parts }) => `\n\n${SPEAKERS[role]}: ${textOnly(parts, NAME) || PLACEHOLDER}`);
  return `${textOnly(system, NAME)}${dialogue.join('')}\n\nAssistant:`;
}

function writeRequest(conversation: Conversation, request: ClientRequest, target: ChannelTarget): UpstreamRequest {
  refuseTools(conversation, NAME);
  const { sampling, stream } = conversation;
  const written = stated<JsonObject>({
    model: target.model,
    prompt: promptOf(conversation),
    temperature: sampling.temperature === undefined ? undefined : Math.min(sampling.temperature, 1),
    top_p: sampling.topP,
    top_k: sampling.topK,
    stop_sequences: sampling.stop.length > 0 ? sampling.stop : undefined,
    stream,
  });
  const members = overridden(written, request, target);
  const { max_tokens_to_sample: put } = members;
  const most = typeof put === 'number' ? put : (limitOf(conversation, request) ?? FALLBACK_MAX_TOKENS);
  const body = { ...members, max_tokens_to_sample: Math.min(most, request.outputLimit ?? Infinity) };
  return {
    method: 'POST',
    url: urlOf(target, '/v1/complete'),
    headers: headersOf(target, { ...request, json: written }),
    body: Buffer.from(JSON.stringify(body)),
  };
}

const REASONS: Readonly<Record<string, string>> = { stop_sequence: 'stop', max_tokens: 'length' };

function pieceOf(json: JsonObject): Piece {
  const reason = textOf(json.stop_reason);
  return {
    id: textOf(json.id) || textOf(json.log_id),
    model: textOf(json.model),
    text: textOf(json.completion),
    finish: reason && (REASONS[reason] ?? reason),
  };
}

/** Anthropic's Text Completions, whose replies state no usage. */
export const completionsUpstream: UpstreamSide = {
  writeRequest,
  readReply: plainReply((json) => {
    const piece = pieceOf(json);
    return typeof json.completion === 'string' ? { ...piece, text: piece.text?.replace(/^ /, '') ?? '' } : undefined;
  }),
  reader: plainReader(pieceOf),
  raw: limitedBy('max_tokens_to_sample'),
};
