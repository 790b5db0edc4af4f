import { z } from 'zod';

// Only what the relay itself must know is checked; every other field passes through untouched to the upstream.

const MAX_TOKENS = 2 ** 30 - 1;
const maxTokens = z
  .int('max_tokens is invalid')
  .min(0, 'max_tokens is invalid')
  .max(MAX_TOKENS, 'max_tokens is invalid')
  .nullish();
/** How many answers: what reads `[50]` or `"50"` as fifty elsewhere would cost fifty times what was held for one. */
const answers = (name: string) => z.int(`${name} is invalid`).min(0, `${name} is invalid`).nullish();
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
});
export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** POST /v1/messages, Anthropic's dialect. */
export const messagesRequestSchema = z.looseObject({
  model: modelName('field model is required'),
  messages: messageList,
  stream: z.boolean().nullish(),
  max_tokens: maxTokens,
});
export type MessagesRequest = z.infer<typeof messagesRequestSchema>;

const maxOutputTokens = z
  .int('max_output_tokens is invalid')
  .min(0, 'max_output_tokens is invalid')
  .max(MAX_TOKENS, 'max_output_tokens is invalid')
  .nullish();
const INPUT_REQUIRED = 'input is required';

/** POST /v1/responses: a text, or a list of items. */
export const responsesRequestSchema = z.looseObject({
  model: modelName('model is required'),
  input: z.union(
    [z.string().min(1, INPUT_REQUIRED), z.array(z.looseObject({})).min(1, INPUT_REQUIRED)],
    INPUT_REQUIRED,
  ),
  stream: z.boolean().nullish(),
  max_output_tokens: maxOutputTokens,
});

const geminiConfig = z.looseObject({
  maxOutputTokens: maxTokens,
  max_output_tokens: maxTokens,
  candidateCount: answers('candidateCount'),
  candidate_count: answers('candidate_count'),
});

/** POST /v1beta/models/{model}:generateContent, in either of the spellings that Google documents. */
export const geminiRequestSchema = z.looseObject({
  contents: z.array(z.looseObject({}), 'field contents is required').min(1, 'field contents is required'),
  generationConfig: geminiConfig.nullish(),
  generation_config: geminiConfig.nullish(),
});

const CONTENT_REQUIRED = 'field content is required';
const embeddedContent = z.looseObject(
  { parts: z.array(z.looseObject({}), CONTENT_REQUIRED).min(1, CONTENT_REQUIRED) },
  CONTENT_REQUIRED,
);

/** POST /v1beta/models/{model}:embedContent, or :batchEmbedContents with a list of the same. */
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

/** POST /v1/embeddings: a text, several texts, or token ids. */
export const embeddingsRequestSchema = z.looseObject({
  model: modelName('model is required'),
  input: z.union([z.string().min(1, INPUT_EMPTY), z.array(z.unknown()).min(1, INPUT_EMPTY)], INPUT_EMPTY),
});
export type EmbeddingsRequest = z.infer<typeof embeddingsRequestSchema>;

const QUERY_EMPTY = 'query is empty';
const DOCUMENTS_EMPTY = 'documents is empty';
const rankedDocument = z.union([z.string(), z.looseObject({})], 'documents is invalid');
/** Absent and empty are told alike; what is of another kind is invalid. */
const absentOr = (absent: string, invalid: string) => ({
  error: ({ input }: { input?: unknown }): string => (input === undefined || input === null ? absent : invalid),
});

/** POST /v1/rerank, in the words of Jina and Cohere: texts, or objects with a `text`. */
export const rerankRequestSchema = z.looseObject({
  model: modelName('model is required'),
  query: z.string(absentOr(QUERY_EMPTY, 'query is invalid')).min(1, QUERY_EMPTY),
  documents: z.array(rankedDocument, absentOr(DOCUMENTS_EMPTY, 'documents is invalid')).min(1, DOCUMENTS_EMPTY),
  top_n: answers('top_n'),
  return_documents: z.boolean('return_documents is invalid').nullish(),
  max_chunk_per_doc: answers('max_chunk_per_doc'),
  max_chunks_per_doc: answers('max_chunks_per_doc'),
  overlap_tokens: answers('overlap_tokens'),
});
export type RerankRequest = z.infer<typeof rerankRequestSchema>;
const SMALL_SIZES = ['256x256', '512x512', '1024x1024'];
/** OpenAI's models of this dialect that take a few sizes only; `dall-e` is what a request without a model asks for. */
const pictureSizes: Readonly<Record<string, readonly string[]>> = {
  'dall-e': SMALL_SIZES,
  'dall-e-2': SMALL_SIZES,
  'dall-e-3': ['1024x1024', '1024x1792', '1792x1024'],
};
const WRONG_SIZE = 'size must be one of 256x256, 512x512, or 1024x1024, dall-e-3 1024x1792 or 1792x1024';
const WRONG_SIGN =
  "size an unexpected error occurred in the parameter, please use 'x' instead of the multiplication sign '×'";
const MOST_PICTURES = 10;
/** Stands for no size at all. */
const NO_SIZE = 'empty';
const text = (name: string) => z.string(`${name} is invalid`).nullish();

/** POST /v1/images/generations. Size, quality and number decide the price. */
export const imagesRequestSchema = z
  .looseObject({
    model: text('model'),
    prompt: z.string('prompt is required').min(1, 'prompt is required'),
    n: z.int('n is invalid').min(0, 'n is invalid').max(MOST_PICTURES, 'n must be between 1 and 10').nullish(),
    size: text('size').refine((size) => !size?.includes('×'), WRONG_SIGN),
    quality: text('quality'),
    stream: z.literal(false, 'stream is invalid: pictures come when all are ready').nullish(),
  })
  .refine(
    ({ model, size }) => {
      const sizes = pictureSizes[model || 'dall-e'];
      return !size || size === NO_SIZE || !sizes || sizes.includes(size);
    },
    { message: WRONG_SIZE, path: ['size'] },
  );
export type ImagesRequest = z.infer<typeof imagesRequestSchema>;

/** POST /v1/audio/transcriptions and /v1/audio/translations: the fields of a form beside its `file`, each a text. */
export const audioRequestSchema = z.looseObject({
  /** Without one: `whisper-1`. */
  model: z.string().optional(),
  language: z.string().optional(),
  prompt: z.string().optional(),
  response_format: z.string().optional(),
  temperature: z.string().optional(),
  stream: z.literal('false', 'field stream is invalid: the words come when all are known').optional(),
});

/** POST /pg/chat/completions: a chat request of a signed-in user, who may choose a group. */
export const playgroundRequestSchema = chatRequestSchema.extend({
  model: modelName('请选择模型'),
  group: z.string().optional(),
});
export type PlaygroundRequest = z.infer<typeof playgroundRequestSchema>;
