import {
  chatRequestSchema,
  completionsRequestSchema,
  embedContentsRequestSchema,
  embeddingsRequestSchema,
  geminiRequestSchema,
  messagesRequestSchema,
  rerankRequestSchema,
  responsesRequestSchema,
} from '@tollgate/contracts/api/chat';
import {
  audioRequestSchema,
  imageEditsRequestSchema,
  imagesRequestSchema,
  moderationsRequestSchema,
  speechRequestSchema,
} from '@tollgate/contracts/api/media';
import { textLimits } from '@tollgate/contracts/text-limits';
import {
  type JsonObject,
  MOST_SEARCHES,
  outlineOf,
  refusalOf as refusalOfField,
  unlistedField,
  unpricedField,
  wrongChatSearch,
  wrongInput,
  wrongItem,
  wrongSearchLimit,
} from '@tollgate/providers';
import type { z } from 'zod';
import { Refusal } from '../call/refusal.js';
import { type Endpoint, ENDPOINTS } from '../call/endpoints.js';
import type { RelayCall } from '../call/relay-call.js';
import { isPlainLimit } from './simple-chat.js';

/** The rules by which requests of an endpoint are checked before the pipeline, which is the same for all endpoints. */
interface EndpointRules {
  schema: z.ZodType;
  errorCode: string;
  /** Members whose faults have an error code of their own. */
  memberCodes?: Readonly<Record<string, string>>;
  modelMissing: string;
  /** The model that is routed and priced where the request names none. */
  defaultModel?: string;
  /** Members that cost extra at other endpoints and are free at this one. */
  harmless?: readonly string[];
}

/** No channel can have a model with a longer name. */
const LONGEST_NAME = textLimits.modelName.most;
const MODEL_MISSING = 'Invalid request, 无效的请求, model is required';
/** The documented text, which is Anthropic's own. */
const UNLISTED_TOOLS = 'tools: Input should be a valid list';

const rules: Record<Endpoint | 'playground', EndpointRules> = {
  chat: { schema: chatRequestSchema, errorCode: 'invalid_text_request', modelMissing: MODEL_MISSING },
  completions: {
    schema: completionsRequestSchema,
    errorCode: 'invalid_text_request',
    modelMissing: MODEL_MISSING,
  },
  messages: {
    schema: messagesRequestSchema,
    errorCode: 'invalid_claude_request',
    modelMissing: 'Invalid request, 无效的请求, field model is required',
  },
  embeddings: { schema: embeddingsRequestSchema, errorCode: 'invalid_embedding_request', modelMissing: MODEL_MISSING },
  embedContents: {
    schema: embedContentsRequestSchema,
    errorCode: 'invalid_embedding_request',
    modelMissing: MODEL_MISSING,
  },
  gemini: { schema: geminiRequestSchema, errorCode: 'invalid_gemini_request', modelMissing: MODEL_MISSING },
  rerank: {
    schema: rerankRequestSchema,
    errorCode: 'invalid_text_request',
    memberCodes: { query: 'invalid_query', documents: 'invalid_documents' },
    modelMissing: MODEL_MISSING,
  },
  images: {
    schema: imagesRequestSchema,
    errorCode: 'invalid_image_request',
    modelMissing: MODEL_MISSING,
    defaultModel: 'dall-e',
    // Here it is the background of the picture, not a background response.
    harmless: ['background'],
  },
  responses: { schema: responsesRequestSchema, errorCode: 'invalid_responses_request', modelMissing: MODEL_MISSING },
  imageEdits: {
    schema: imageEditsRequestSchema,
    errorCode: 'invalid_image_request',
    modelMissing: MODEL_MISSING,
    defaultModel: 'gpt-image-1',
    harmless: ['background'],
  },
  speech: {
    schema: speechRequestSchema,
    errorCode: 'invalid_audio_request',
    modelMissing: MODEL_MISSING,
    defaultModel: 'tts-1',
    // Here it is the speed of the speech, not a speed class of the model.
    harmless: ['speed'],
  },
  moderations: {
    schema: moderationsRequestSchema,
    errorCode: 'invalid_text_request',
    modelMissing: MODEL_MISSING,
    defaultModel: 'text-moderation-stable',
  },
  transcriptions: {
    schema: audioRequestSchema,
    errorCode: 'invalid_audio_request',
    modelMissing: MODEL_MISSING,
    defaultModel: 'whisper-1',
  },
  translations: {
    schema: audioRequestSchema,
    errorCode: 'invalid_audio_request',
    modelMissing: MODEL_MISSING,
    defaultModel: 'whisper-1',
  },
  playground: { schema: chatRequestSchema, errorCode: 'model_required', modelMissing: '请选择模型' },
};

/** The error code for an invalid request to this endpoint. */
export const errorCodeOf = (endpoint: Endpoint | 'playground'): string =>
  endpoint === 'playground' ? rules.chat.errorCode : rules[endpoint].errorCode;

/** The requested model; a request without a model is refused before anything else is checked. */
export function modelOf(json: JsonObject, endpoint: Endpoint | 'playground'): string {
  const { model: stated } = json;
  const { defaultModel } = rules[endpoint];
  const isNamed = stated !== undefined && stated !== null && stated !== '';
  const model = isNamed ? stated : defaultModel;
  const { modelMissing, errorCode } = rules[endpoint];
  if (typeof model !== 'string' || model === '') throw new Refusal(400, modelMissing, errorCode);
  if (model.length <= LONGEST_NAME) return model;
  const text = `Invalid request, 无效的请求, model is longer than ${LONGEST_NAME} characters`;
  throw new Refusal(400, text, errorCode, { param: 'model' });
}

/**
 * Whether each member that the chat schema knows is absent or of its plainest kind. That holds for almost all requests,
 * and then validation against the schema, which visits all members, can be skipped.
 */
export function isPlainChat(json: JsonObject): boolean {
  const { model, messages, stream } = json;
  return (
    typeof model === 'string' &&
    model !== '' &&
    Array.isArray(messages) &&
    messages.length > 0 &&
    messages.every((message) => typeof message === 'object' && message !== null && !Array.isArray(message)) &&
    (stream === undefined || typeof stream === 'boolean') &&
    LIMITS.every((name) => json[name] === undefined || isPlainLimit(json[name])) &&
    PLAIN_NUMBERS.every((name) => json[name] === undefined || Number.isFinite(json[name])) &&
    OTHERS.every((name) => json[name] === undefined)
  );
}

const LIMITS = ['max_tokens', 'max_completion_tokens'] as const;
const PLAIN_NUMBERS = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'seed'] as const;
const OTHERS = [
  ...['stream_options', 'n', 'best_of', 'stop', 'logprobs', 'top_logprobs', 'logit_bias', 'parallel_tool_calls'],
  ...['response_format', 'reasoning_effort', 'user', 'tool_choice', 'modalities', 'audio', 'metadata', 'prediction'],
];

/**
 * What makes Anthropic's own client send the whole conversation instead, without a thread:
 * `lib/internal/threads/ThreadState.ts` of `@anthropic-ai/sdk`.
 */
const NO_THREADS = { error_code: 'thread_unsupported_request' };

/**
 * Refuses a conversation of which the upstream keeps the earlier messages. They belong to the operator's account: any
 * caller could continue them, the prompt has no bound here, and other upstreams do not know them.
 */
function refuseThread({ thread = null }: JsonObject, errorCode: string): void {
  if (thread === null) return;
  const text = 'field thread is not available here: send the whole conversation in messages';
  const type = 'invalid_request_error';
  throw new Refusal(400, text, errorCode, { param: 'thread', type, details: NO_THREADS });
}

/** Refuses requests that no upstream could answer, with the documented texts. */
export function checkRequest(call: Pick<RelayCall, 'json' | 'endpoint'>): void {
  const { json, endpoint } = call;
  const { errorCode } = rules[endpoint];
  const outline = outlineOf(json);
  if (endpoint === 'messages') refuseThread(outline, errorCode);
  if (endpoint !== 'chat' || !isPlainChat(outline)) checkMembers(outline, endpoint);
  // Members that are too large to be parsed for this check are left to the upstream.
  const wrong = wrongInput(json, endpoint) ?? (outline === json ? wrongItem(json, endpoint) : undefined);
  if (wrong !== undefined) throw new Refusal(400, `${wrong} is invalid`, errorCode, { param: wrong });
  refuseCostly(call, errorCode);
}

function checkMembers(outline: JsonObject, endpoint: Endpoint): void {
  const { schema, errorCode } = rules[endpoint];
  const result = schema.safeParse(outline);
  if (!result.success) throw refusalOf(result.error.issues[0], rules[endpoint]);
  if (endpoint === 'completions' && isEmpty(outline.prompt))
    throw new Refusal(400, 'field prompt is required', errorCode);
}

const isEmpty = (value: JsonObject[string]): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function refusalOf(issue: z.core.$ZodIssue | undefined, { errorCode, memberCodes = {} }: EndpointRules): Refusal {
  const message =
    issue && /is (required|invalid|empty)|must be|unexpected error/.test(issue.message)
      ? issue.message
      : `${issue?.path.join('.') ?? 'body'} is invalid`;
  const param = issue?.path.join('.') ?? '';
  return new Refusal(400, message, memberCodes[String(issue?.path[0])] ?? errorCode, { param });
}

/**
 * Refuses fields that an upstream charges for and that none of our prices covers, and fields that could hide such a
 * charge from our checks.
 */
function refuseCostly({ json, endpoint }: Pick<RelayCall, 'json' | 'endpoint'>, errorCode: string): void {
  const { lists, searches } = ENDPOINTS[endpoint];
  const unlisted = unlistedField(json, lists);
  if (unlisted !== undefined) {
    const isOfAnthropic = searches === 'messages' && unlisted === 'tools';
    const text = isOfAnthropic ? UNLISTED_TOOLS : `field ${unlisted} is invalid: a list of objects is expected`;
    throw new Refusal(400, text, errorCode, { param: unlisted });
  }
  const limit = searches === 'messages' ? wrongSearchLimit(json) : undefined;
  if (limit !== undefined) {
    const text = `field ${limit} is invalid: a whole number from 1 to ${MOST_SEARCHES} is expected`;
    throw new Refusal(400, text, errorCode, { param: limit });
  }
  const search = searches === 'chat' ? wrongChatSearch(json) : undefined;
  if (search) {
    const { path, expected } = search;
    throw new Refusal(400, `field ${path} is invalid: ${expected} is expected`, errorCode, { param: path });
  }
  const found = unpricedField(json, {
    ...(rules[endpoint].harmless && { harmless: rules[endpoint].harmless }),
    endpoint: searches,
  });
  if (!found) return;
  throw new Refusal(400, refusalOfField(found), errorCode, { param: found.member });
}
