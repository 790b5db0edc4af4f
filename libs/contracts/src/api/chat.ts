import { z } from 'zod';

// Only members that the relay itself reads are checked; all others are passed on to the upstream unchanged.

const MAX_TOKENS = 2 ** 30 - 1;
const maxTokens = z
  .int('max_tokens is invalid')
  .min(0, 'max_tokens is invalid')
  .max(MAX_TOKENS, 'max_tokens is invalid')
  .nullish();
const count = (name: string, least = 0) => z.int(`${name} is invalid`).min(least, `${name} is invalid`).nullish();
/** Number of answers. Only real numbers are accepted: an upstream that reads `[50]` or `"50"` as fifty would cost fifty times the hold. */
const answers = (name: string) => count(name, 1);
/** Members that all providers expect with this type; the provider checks the range of their values. */
const number = (name: string) => z.number(`${name} is invalid`).nullish();
const flag = (name: string) => z.boolean(`${name} is invalid`).nullish();
const text = (name: string) => z.string(`${name} is invalid`).nullish();
const object = (name: string) => z.looseObject({}, `${name} is invalid`).nullish();
/** A list that is too long to be checked is represented by one empty object. */
const isItem = (item: unknown): boolean =>
  typeof item === 'string' || (typeof item === 'object' && item !== null && Object.keys(item).length === 0);
const texts = (name: string) => z.array(z.custom(isItem), `${name} is invalid`);
const stop = z.union([z.string(), texts('stop')], 'stop is invalid').nullish();
const modelName = (message: string) => z.string(message).min(1, message);
const messageList = z.array(z.looseObject({}), 'field messages is required').min(1, 'field messages is required');

/** POST /v1/chat/completions. The playground sends 0 for "no limit". */
export const chatRequestSchema = z.looseObject({
  model: modelName('model is required'),
  messages: messageList,
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: maxTokens,
  max_completion_tokens: maxTokens,
  n: answers('n'),
  best_of: answers('best_of'),
  temperature: number('temperature'),
  top_p: number('top_p'),
  presence_penalty: number('presence_penalty'),
  frequency_penalty: number('frequency_penalty'),
  seed: number('seed'),
  stop,
  logprobs: flag('logprobs'),
  top_logprobs: count('top_logprobs'),
  logit_bias: object('logit_bias'),
  parallel_tool_calls: flag('parallel_tool_calls'),
  response_format: object('response_format'),
  reasoning_effort: text('reasoning_effort'),
  user: text('user'),
  tool_choice: z.union([z.string(), z.looseObject({})], 'tool_choice is invalid').nullish(),
  modalities: texts('modalities').nullish(),
  audio: object('audio'),
  metadata: object('metadata'),
  prediction: object('prediction'),
});

/** POST /v1/completions. The `n` best of `best_of` answers are sent. */
export const completionsRequestSchema = chatRequestSchema
  .omit({ messages: true, top_logprobs: true, parallel_tool_calls: true, response_format: true })
  .extend({
    logprobs: count('logprobs'),
    suffix: text('suffix'),
    echo: flag('echo'),
  })
  .refine(({ n, best_of: best }) => typeof best !== 'number' || best >= (n ?? 1), {
    path: ['best_of'],
    error: 'best_of is invalid: it must be at least n',
  });

/** POST /v1/messages, Anthropic's dialect. */
export const messagesRequestSchema = z.looseObject({
  model: modelName('field model is required'),
  messages: messageList,
  stream: z.boolean().nullish(),
  max_tokens: maxTokens,
  system: z.union([z.string(), z.array(z.looseObject({}))], 'system is invalid').nullish(),
  temperature: number('temperature'),
  top_p: number('top_p'),
  top_k: count('top_k'),
  stop_sequences: texts('stop_sequences').nullish(),
  metadata: object('metadata'),
  thinking: object('thinking'),
  tool_choice: object('tool_choice'),
});

const maxOutputTokens = z
  .int('max_output_tokens is invalid')
  .min(0, 'max_output_tokens is invalid')
  .max(MAX_TOKENS, 'max_output_tokens is invalid')
  .nullish();
const INPUT_REQUIRED = 'input is required';

/** Each call may be a search, for which quota is held in advance. */
const maxToolCalls = z
  .int('max_tool_calls is invalid')
  .min(1, 'max_tool_calls is invalid')
  .max(1000, 'max_tool_calls is invalid')
  .nullish();

/** POST /v1/responses: a text, or a list of items. */
export const responsesRequestSchema = z.looseObject({
  model: modelName('model is required'),
  input: z.union([z.string().min(1, INPUT_REQUIRED), z.array(z.unknown()).min(1, INPUT_REQUIRED)], INPUT_REQUIRED),
  stream: z.boolean().nullish(),
  max_output_tokens: maxOutputTokens,
  max_tool_calls: maxToolCalls,
  instructions: text('instructions'),
  temperature: number('temperature'),
  top_p: number('top_p'),
  top_logprobs: count('top_logprobs'),
  parallel_tool_calls: flag('parallel_tool_calls'),
  reasoning: object('reasoning'),
  text: object('text'),
  truncation: text('truncation'),
  include: texts('include').nullish(),
  metadata: object('metadata'),
  tool_choice: z.union([z.string(), z.looseObject({})], 'tool_choice is invalid').nullish(),
  user: text('user'),
});

/** Google's JSON may have numbers as strings. */
const protoNumber = (name: string) =>
  z.union([z.number(), z.string().regex(/^[-+]?\d[\d.eE+-]*$/)], `${name} is invalid`).nullish();
const geminiConfig = z.looseObject({
  maxOutputTokens: maxTokens,
  max_output_tokens: maxTokens,
  candidateCount: count('candidateCount'),
  candidate_count: count('candidate_count'),
  temperature: protoNumber('temperature'),
  topP: protoNumber('topP'),
  top_p: protoNumber('top_p'),
  topK: protoNumber('topK'),
  top_k: protoNumber('top_k'),
  stopSequences: texts('stopSequences').nullish(),
  stop_sequences: texts('stop_sequences').nullish(),
  seed: protoNumber('seed'),
});

/** POST /v1beta/models/{model}:generateContent, in both spellings that Google documents. */
export const geminiRequestSchema = z.looseObject({
  contents: z.array(z.looseObject({}), 'field contents is required').min(1, 'field contents is required'),
  generationConfig: geminiConfig.nullish(),
  generation_config: geminiConfig.nullish(),
  safetySettings: z.array(z.looseObject({}), 'safetySettings is invalid').nullish(),
  safety_settings: z.array(z.looseObject({}), 'safety_settings is invalid').nullish(),
});

const CONTENT_REQUIRED = 'field content is required';
const embeddedContent = z.looseObject(
  { parts: z.array(z.looseObject({}), CONTENT_REQUIRED).min(1, CONTENT_REQUIRED) },
  CONTENT_REQUIRED,
);

/** POST /v1beta/models/{model}:embedContent, or :batchEmbedContents with a list of such bodies. */
export const embedContentsRequestSchema = z.union(
  [
    z.looseObject({ content: embeddedContent, requests: z.undefined().optional() }),
    z.looseObject({
      content: z.undefined().optional(),
      requests: z.array(z.looseObject({ content: embeddedContent })).min(1),
    }),
  ],
  CONTENT_REQUIRED,
);

const INPUT_EMPTY = 'input is empty';
/** OpenAI's two encodings, and those of other OpenAI-compatible upstreams. */
const ENCODINGS = ['float', 'base64', 'bytes', 'int8', 'uint8', 'binary', 'ubinary'] as const;

/** POST /v1/embeddings: a text, several texts, or token ids. */
export const embeddingsRequestSchema = z.looseObject({
  model: modelName('model is required'),
  input: z.union([z.string().min(1, INPUT_EMPTY), z.array(z.unknown()).min(1, INPUT_EMPTY)], INPUT_EMPTY),
  dimensions: z.int('dimensions is invalid').min(1, 'dimensions is invalid').nullish(),
  user: text('user'),
  encoding_format: z.enum(ENCODINGS, 'encoding_format is invalid').nullish(),
});

const QUERY_EMPTY = 'query is empty';
const DOCUMENTS_EMPTY = 'documents is empty';
const rankedDocument = z.union([z.string(), z.looseObject({})], 'documents is invalid');
/** Different messages for a missing and for an invalid value; an empty value counts as missing. */
const absentOr = (absent: string, invalid: string) => ({
  error: ({ input }: { input?: unknown }): string => (input === undefined || input === null ? absent : invalid),
});

/** POST /v1/rerank, in the format of Jina and Cohere: documents are texts, or objects with a `text`. */
export const rerankRequestSchema = z.looseObject({
  model: modelName('model is required'),
  query: z.string(absentOr(QUERY_EMPTY, 'query is invalid')).min(1, QUERY_EMPTY),
  documents: z.array(rankedDocument, absentOr(DOCUMENTS_EMPTY, 'documents is invalid')).min(1, DOCUMENTS_EMPTY),
  top_n: count('top_n'),
  return_documents: z.boolean('return_documents is invalid').nullish(),
  max_chunk_per_doc: count('max_chunk_per_doc'),
  max_chunks_per_doc: count('max_chunks_per_doc'),
  overlap_tokens: count('overlap_tokens'),
});
/** POST /pg/chat/completions: a chat request of a signed-in user, who may choose a group. */
export const playgroundRequestSchema = chatRequestSchema.extend({
  model: modelName('请选择模型'),
  group: z.string().optional(),
});
export type PlaygroundRequest = z.infer<typeof playgroundRequestSchema>;
