import { z } from 'zod';
import {
  chatRequestSchema,
  embeddingsRequestSchema,
  geminiRequestSchema,
  messagesRequestSchema,
  rerankRequestSchema,
  playgroundRequestSchema,
  responsesRequestSchema,
} from '../api/chat.js';
import {
  audioRequestSchema,
  imageEditsRequestSchema,
  imagesRequestSchema,
  moderationsRequestSchema,
  speechRequestSchema,
} from '../api/media.js';
import type { relayRoutes } from '../routes/relay.js';
import type { OperationDocument } from './define-operations.js';

// Replies have the providers' formats; only common members are listed, and all others are passed through.

const modelSchema = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});
const modelListSchema = z.looseObject({ object: z.literal('list'), data: z.array(modelSchema) });
const tokensSchema = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() });
const completionSchema = z.looseObject({
  id: z.string(),
  object: z.string(),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.int(), finish_reason: z.string().nullable() })),
  usage: tokensSchema.optional(),
});
const messageSchema = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
});
const responseSchema = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number(),
  status: z.string(),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullish(),
});
const embeddingsSchema = z.looseObject({
  object: z.literal('list'),
  model: z.string(),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding'),
      index: z.int(),
      /** A base64 text if the request asks for it. */
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
});
const imagesSchema = z.looseObject({
  created: z.int().optional(),
  data: z.array(z.looseObject({ url: z.string().optional(), b64_json: z.string().optional() })),
  usage: z.looseObject({}).optional(),
});
const soundSchema = z.string().meta({ format: 'binary' });
const verdictSchema = z.looseObject({
  id: z.string(),
  model: z.string(),
  results: z.array(z.looseObject({ flagged: z.boolean() })),
});
/** The reply without `response_format`, or with `json` or `verbose_json`; otherwise it is plain text. */
const transcriptionSchema = z.looseObject({ text: z.string() });
const completionRequestSchema = chatRequestSchema
  .omit({ messages: true })
  .extend({ prompt: z.union([z.string(), z.array(z.unknown())]) });

const geminiModelSchema = z.looseObject({ name: z.string(), supportedGenerationMethods: z.array(z.string()) });
const geminiModelListSchema = z.looseObject({ models: z.array(geminiModelSchema) });
const geminiReplySchema = z.looseObject({
  candidates: z
    .array(z.looseObject({ content: z.looseObject({}).optional(), finishReason: z.string().optional() }))
    .optional(),
  usageMetadata: z.looseObject({ promptTokenCount: z.int() }).optional(),
});

/** `results` are ordered, the best first. */
const rankingSchema = z.looseObject({
  results: z.array(z.looseObject({ index: z.int(), relevance_score: z.number() })),
  usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }).optional(),
});

const submittedSchema = z.looseObject({ code: z.int(), description: z.string().optional(), result: z.unknown() });
const drawingTaskSchema = z.looseObject({ id: z.string(), status: z.string(), progress: z.string() });
/** The action determines which members are needed: prompt, task, button or pictures. */
const orderSchema = z.looseObject({ prompt: z.string().optional(), taskId: z.string().optional() });
const faceSwapSchema = z.looseObject({ sourceBase64: z.string(), targetBase64: z.string() });
const idsSchema = z.looseObject({ ids: z.array(z.string()) });
const songReplySchema = z.looseObject({ code: z.string(), message: z.string().optional(), data: z.unknown() });

const openAi = { errorFormat: 'openai' } as const;
const gemini = { errorFormat: 'gemini' } as const;

export const relayOperations = {
  listModels: {
    summary: "Models the token may call; with Anthropic's headers in Anthropic's shape.",
    reply: modelListSchema,
    ...openAi,
  },
  getModel: { summary: 'One model.', reply: modelSchema, ...openAi },
  createChatCompletion: {
    summary: 'Chat completion in the dialect of OpenAI.',
    body: chatRequestSchema,
    reply: completionSchema,
    streams: true,
    ...openAi,
  },
  createCompletion: {
    summary: 'Text completion in the dialect of OpenAI.',
    body: completionRequestSchema,
    reply: completionSchema,
    streams: true,
    ...openAi,
  },
  createPlaygroundCompletion: {
    summary: 'Chat completion of a signed-in user, without a token.',
    body: playgroundRequestSchema,
    reply: completionSchema,
    streams: true,
    ...openAi,
  },
  createPlaygroundImage: {
    summary: 'Pictures for a signed-in user, without a token; `group` as for a chat.',
    body: imagesRequestSchema,
    reply: imagesSchema,
    ...openAi,
  },
  createPlaygroundSpeech: {
    summary: 'Speech for a signed-in user, without a token.',
    body: speechRequestSchema,
    reply: soundSchema,
    ...openAi,
  },
  createPlaygroundTranscription: {
    summary: 'Speech to text for a signed-in user, without a token; the group is in the query.',
    body: audioRequestSchema,
    reply: transcriptionSchema,
    ...openAi,
  },
  createMessage: {
    summary: 'Message in the dialect of Anthropic.',
    body: messagesRequestSchema,
    reply: messageSchema,
    streams: true,
    errorFormat: 'anthropic',
  },
  countMessageTokens: {
    summary: 'How many tokens a message would send, by our own count; free.',
    body: messagesRequestSchema,
    reply: z.looseObject({ input_tokens: z.int() }),
    errorFormat: 'anthropic',
  },
  createResponse: {
    summary: 'Response in the newer dialect of OpenAI.',
    body: responsesRequestSchema,
    reply: responseSchema,
    streams: true,
    ...openAi,
  },
  listGeminiModels: {
    summary: "Models the token may call, in Gemini's shape.",
    reply: geminiModelListSchema,
    ...gemini,
  },
  getGeminiModel: { summary: "One model, in Gemini's shape.", reply: geminiModelSchema, ...gemini },
  listGeminiModelsForOpenAi: { summary: 'Models the token may call.', reply: modelListSchema, ...openAi },
  callGeminiModel: {
    summary: "`{model}:generateContent` and `{model}:streamGenerateContent` in Gemini's own dialect.",
    body: geminiRequestSchema,
    reply: geminiReplySchema,
    streams: true,
    ...gemini,
  },
  callGeminiModelByV1: {
    summary: 'The same by the path of the older version.',
    body: geminiRequestSchema,
    reply: geminiReplySchema,
    streams: true,
    ...gemini,
  },
  createEmbedding: { summary: 'Embeddings.', body: embeddingsRequestSchema, reply: embeddingsSchema, ...openAi },
  createEngineEmbedding: {
    summary: 'Embeddings, with the model in the path.',
    body: embeddingsRequestSchema.partial({ model: true }),
    reply: embeddingsSchema,
    ...openAi,
  },
  createRerank: {
    summary: 'Documents in the order in which they answer a query.',
    body: rerankRequestSchema,
    reply: rankingSchema,
    ...openAi,
  },
  createImage: {
    summary: 'Pictures for a text.',
    body: imagesRequestSchema,
    reply: imagesSchema,
    streams: true,
    ...openAi,
  },
  openRealtime: {
    summary:
      "OpenAI's realtime events over a web socket, `?model=`; the key may come as the protocol `openai-insecure-api-key.<key>`. Answers 101.",
    ...openAi,
  },
  createImageEdit: {
    summary: 'Pictures out of pictures: a form with `image` (or several `image[]`), `prompt` and perhaps `mask`.',
    body: imageEditsRequestSchema,
    reply: imagesSchema,
    streams: true,
    ...openAi,
  },
  createSpeech: {
    summary: 'Text to speech: the bytes of the sound, or its events with `stream_format` `sse`.',
    body: speechRequestSchema,
    reply: soundSchema,
    streams: true,
    ...openAi,
  },
  createModeration: {
    summary: 'Whether a text may harm.',
    body: moderationsRequestSchema,
    reply: verdictSchema,
    ...openAi,
  },
  createTranscription: {
    summary: 'Speech to text in its own language: a form with `file` and `model`.',
    body: audioRequestSchema,
    reply: transcriptionSchema,
    ...openAi,
  },
  createTranslation: {
    summary: 'Speech to English text: a form with `file` and `model`.',
    body: audioRequestSchema,
    reply: transcriptionSchema,
    ...openAi,
  },
  submitDrawing: {
    summary: 'Hand a drawing over, in the words of a Midjourney proxy.',
    body: orderSchema,
    reply: submittedSchema,
  },
  submitDrawingInMode: {
    summary: 'The same under a mode such as `mj-fast`.',
    body: orderSchema,
    reply: submittedSchema,
  },
  swapFace: { summary: 'Put the face of one picture into another.', body: faceSwapSchema, reply: submittedSchema },
  swapFaceInMode: { summary: 'The same under a mode.', body: faceSwapSchema, reply: submittedSchema },
  fetchDrawing: { summary: 'What became of an own drawing.', reply: drawingTaskSchema },
  fetchDrawingInMode: { summary: 'The same under a mode.', reply: drawingTaskSchema },
  fetchDrawings: {
    summary: 'What became of own drawings: `{ ids }`.',
    body: idsSchema,
    reply: z.array(drawingTaskSchema),
  },
  fetchDrawingsInMode: { summary: 'The same under a mode.', body: idsSchema, reply: z.array(drawingTaskSchema) },
  getImageSeed: { summary: 'The seed of an own drawing, asked of its upstream.', reply: submittedSchema },
  getImageSeedInMode: { summary: 'The same under a mode.', reply: submittedSchema },
  noteDrawing: {
    summary: 'A call back of the upstream that draws, under the signed address it was given.',
    body: drawingTaskSchema,
  },
  noteDrawingInMode: { summary: 'The same under a mode.', body: drawingTaskSchema },
  showPicture: { summary: 'The picture of a drawing, under the signed address of its rows.', reply: z.string() },
  showPictureInMode: { summary: 'The same under a mode.', reply: z.string() },
  submitSong: {
    summary: 'Hand over `music` or `lyrics`, in the words of a Suno proxy.',
    body: orderSchema,
    reply: songReplySchema,
  },
  fetchSong: { summary: 'What became of an own song.', reply: songReplySchema },
  fetchSongs: { summary: 'What became of own songs: `{ ids }`.', body: idsSchema, reply: songReplySchema },
} as const satisfies Record<keyof typeof relayRoutes, OperationDocument>;

/** Schema names in the document; those of OpenAI and Anthropic. */
export const relaySchemas = {
  ChatRequest: chatRequestSchema,
  MessagesRequest: messagesRequestSchema,
  EmbeddingsRequest: embeddingsRequestSchema,
  RerankRequest: rerankRequestSchema,
  Model: modelSchema,
  Completion: completionSchema,
  Message: messageSchema,
  Embeddings: embeddingsSchema,
  Ranking: rankingSchema,
  ImagesRequest: imagesRequestSchema,
};
