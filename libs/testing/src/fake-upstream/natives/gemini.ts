import {
  type FakeDialect,
  type FakeExchange,
  type FakeUsage,
  type Frame,
  type JsonObject,
  reportedUsages,
} from '../dialects.js';
import {
  listIn,
  type Native,
  type NativeCall,
  type NativeError,
  type NativeReply,
  objectIn,
  textIn,
} from './native.js';

const usageOf = ({ promptTokens, completionTokens, cachedTokens }: FakeUsage): JsonObject => ({
  promptTokenCount: promptTokens,
  candidatesTokenCount: completionTokens,
  totalTokenCount: promptTokens + completionTokens,
  ...(cachedTokens > 0 && { cachedContentTokenCount: cachedTokens }),
});

function reply({ id, model }: FakeExchange, text: string | undefined, rest: JsonObject, finishReason?: string) {
  const parts = text === undefined ? [] : [{ text }];
  const candidate = { content: { role: 'model', parts }, ...(finishReason && { finishReason }), index: 0 };
  return { candidates: [candidate], ...rest, modelVersion: model, responseId: id };
}

const lastUsage = (exchange: FakeExchange): JsonObject => {
  const reported = reportedUsages(exchange).at(-1);
  return reported ? { usageMetadata: usageOf(reported) } : {};
};

const finishOf = ({ isCut }: FakeExchange): string => (isCut ? 'MAX_TOKENS' : 'STOP');
const frame = (value: JsonObject): Frame => [undefined, JSON.stringify(value)];

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

export const geminiDialect: FakeDialect = {
  reply: (exchange) =>
    JSON.stringify(reply(exchange, exchange.words.join(''), lastUsage(exchange), finishOf(exchange))),
  opening: () => [],
  word: (exchange, text) => frame(reply(exchange, text, {})),
  closing: (exchange) => [frame(reply(exchange, undefined, lastUsage(exchange), finishOf(exchange)))],
  error: ({ message, code }) => {
    const status = Number(code) || 500;
    return { error: { code: status, message, status: statuses[status] ?? 'INTERNAL' } };
  },
  errorFrame: (details) => frame(geminiDialect.error(details)),
};

/** The turns of a Gemini request as OpenAI messages. */
export const promptOf = (json: JsonObject): JsonObject => ({
  messages: [json.systemInstruction, json.system_instruction, ...listIn(json.contents)].map((content) => ({
    content: objectIn(content).parts,
  })),
});

export const limitIn = (json: JsonObject): unknown => objectIn(json.generationConfig).maxOutputTokens;

const badKey: NativeError = {
  status: 400,
  message: 'API key not valid. Please pass a valid API key.',
  type: 'INVALID_ARGUMENT',
  code: '400',
};

function isBadKey({ headers, url }: NativeCall): boolean {
  const key = headers['x-goog-api-key'] ?? url.searchParams.get('key');
  return key === null || key === 'bad-key';
}

/** The text to embed. */
const textOf = ({ content }: JsonObject): string =>
  listIn(objectIn(content).parts)
    .map(({ text }) => textIn(text))
    .join(' ');

/** A vector that depends on the text only. */
const vectorOf = (text: string): JsonObject => ({
  values: [0, 1, 2, 3].map((place) => ((text.length * 7 + place * 13) % 100) / 100),
});

/** Replies of `:embedContent` and `:batchEmbedContents`. */
function embeddings({ url, json }: NativeCall): NativeReply | undefined {
  if (url.pathname.endsWith(':embedContent')) return { status: 200, json: { embedding: vectorOf(textOf(json)) } };
  if (!url.pathname.endsWith(':batchEmbedContents')) return undefined;
  return { status: 200, json: { embeddings: listIn(json.requests).map((each) => vectorOf(textOf(each))) } };
}

/** Google's Gemini API with API keys. */
export const gemini: Native = (call) => {
  const { url, json } = call;
  const embedded = embeddings(call);
  if (embedded) return isBadKey(call) ? { status: 400, json: geminiDialect.error(badKey) } : embedded;
  const match = /\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(url.pathname);
  if (!match || url.pathname.includes('/projects/')) return undefined;
  return {
    dialect: geminiDialect,
    model: decodeURIComponent(match[1] ?? ''),
    isStream: match[2] === 'streamGenerateContent',
    prompt: promptOf(json),
    limit: limitIn(json),
    ...(isBadKey(call) && { refusal: badKey }),
  };
};
