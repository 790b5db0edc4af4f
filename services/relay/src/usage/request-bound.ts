import type { Searches, Usage } from '@tollgate/contracts';
import { modelLimits, type PromptBound } from '@tollgate/pricing';
import {
  alwaysSearches,
  askedSearches,
  asksForHourCache,
  continues,
  geminiBounds,
  googleSearches,
  type Json,
  type JsonObject,
  lengthOf,
  namedGoogleTools,
  oneSearch,
  overridesOf,
  responsesBounds,
  USUAL_SEARCHES,
  wordsOf,
} from '@tollgate/providers';
import { type Endpoint, searchDialectOf } from '../call/relay-call.js';
import { speechBound } from './characters.js';
import { LEAST_MEDIA } from './media-tokens.js';
import { picturesBound } from './pictures.js';
import { largestWindow } from './context-window.js';
import { mostSoundTokens, mostStatedTokens, type Sound } from './sound.js';

/** The most that a request can use, as far as its body and the published limits of its models tell. */
export interface RequestBound {
  prompt: PromptBound;
  /** Answers that are made, whether or not all of them are sent. */
  choices: number;
  /** Tokens of one answer that the client allows; 0: it sets no limit. */
  limit: number;
  /** Tokens of one answer that the model can give. */
  maximum: number;
  /** Upstreams refuse a smaller limit. */
  minimum: number;
  /** Completion tokens beside those of the answers: a prediction is paid for where it turns out wrong. */
  predicted: number;
  /** What it is charged for whatever its upstream says: characters that are read out. */
  fixed?: Usage;
  /** Tokens of sound that an upstream may state, where that is more than what is held: the length of a file is its sender's word. */
  stated?: number;
  /** Tokens of the prompt that an upstream may state beside those that are held: it reads again after each search. */
  searched?: number;
  /** Each answer begins with the searches that are held, and does not tell of them. */
  isSearched?: true;
  /** Nobody asked for these searches: a model makes them, and what is sent under another name makes none. */
  isSearchedUnasked?: true;
}

export interface BoundedRequest {
  json: JsonObject;
  /** Bytes of the body as it is sent. No tokenizer makes more tokens of a text than it has bytes. */
  size: number;
  endpoint: Endpoint;
  /** The name the client asked for and those the channels put in its place. */
  models: readonly string[];
  /** Those of them under which upstreams are asked; without any, all. */
  sent?: readonly string[];
  /** Searches that nobody asked for cost nothing beside their tokens. */
  unaskedAreFree?: boolean;
  /** What each channel that may be asked puts over the client's members; without any, the client's stand. */
  overrides?: readonly JsonObject[];
  /** A channel that may be asked runs functions of Google's names itself. */
  runsGoogleTools?: boolean;
  /** The file of a form. */
  sound?: Sound | undefined;
  /** Pictures that come in a form. */
  sources?: number;
}

/** What Anthropic and OpenAI add to a prompt that has tools, which has no bytes here. */
const TOOLS_TOKENS = 1000;
/** No model that writes down speech has a longer answer. */
const MOST_SPOKEN = 16_384;
/** Beyond any wallet, and far from where numbers lose their precision. */
const MOST_CHOICES = 1e9;
/** A model name that asks for thinking has its limit raised to this, see `claudeMembers`. */
const THINKING_LIMIT = 1280;

/** Pure, and linear in the number of content parts: text is never looked at. */
export function requestBound({ json: asked, sound, ...request }: BoundedRequest): RequestBound {
  if (sound) return soundBound(asked, request.models, sound);
  if (request.endpoint === 'rerank') return rerankBound(asked, request.size);
  if (request.endpoint === 'images' || request.endpoint === 'imageEdits')
    return picturesBound({ ...request, json: asked });
  if (request.endpoint === 'speech') return speechBound(asked, request);
  if (request.endpoint === 'moderations') return moderationBound(asked, request);
  return withFound(boundOf({ ...request, json: boundsOf(asked, request.endpoint) }), { ...request, json: asked });
}

/** Clients of other dialects ask them too, in words that are converted. */
const OF_SEARCH_MODELS: readonly Endpoint[] = ['chat', 'messages', 'gemini', 'responses'];

type SearchMarks = Pick<RequestBound, 'isSearched' | 'isSearchedUnasked'>;
type Found = SearchMarks & { searches?: Searches };

/** By the names of functions, in dialects that are written anew for Google. What code prints is read like what a search finds, and costs nothing beside. */
function googleToolsOf({ json, endpoint, runsGoogleTools: runs }: BoundedRequest): Found {
  const searches = runs && endpoint !== 'gemini' ? googleSearches(namedGoogleTools(json)) : undefined;
  return searches ? { searches } : {};
}

function searchesOf(request: BoundedRequest): Found {
  const { json, endpoint, models, sent = models } = request;
  const dialect = searchDialectOf(endpoint);
  const asked = dialect && askedSearches(json, dialect);
  if (asked) return { searches: asked, ...(dialect === 'chat' && { isSearched: true }) };
  const isSearched = OF_SEARCH_MODELS.includes(endpoint) && sent.some(alwaysSearches);
  return isSearched ? { searches: oneSearch({}), isSearched, isSearchedUnasked: true } : googleToolsOf(request);
}

/** What of a bound holds for what is sent under this name: of several channels only some may lead to a model that searches unasked. */
export function boundSentAs(bound: RequestBound, model: string): RequestBound {
  if (!bound.isSearchedUnasked || alwaysSearches(model)) return bound;
  const { isSearched: _, isSearchedUnasked: _unasked, searched: _windows, ...rest } = bound;
  const { searches: _searches, ...prompt } = rest.prompt;
  return { ...rest, prompt };
}

/** How often what is found may be read; what code prints as often as the usual searches. */
const readings = ({ web = 0, file = 0, google = 0 }: Searches): number => Math.max(web, file, google) || USUAL_SEARCHES;

/** What an upstream kept of a conversation is read again, and what it finds is read too: either may fill all that the model can read. */
function withFound(bound: RequestBound, request: BoundedRequest): RequestBound {
  const { searches, ...marks } = searchesOf(request);
  if (!searches && !(request.endpoint === 'responses' && continues(request.json))) return bound;
  const { prompt } = bound;
  const window = largestWindow(request.models);
  const isFree = request.unaskedAreFree === true && marks.isSearchedUnasked === true;
  return {
    ...bound,
    prompt: { ...prompt, textTokens: prompt.textTokens + window, ...(searches && !isFree && { searches }) },
    ...(searches && { searched: readings(searches) * window }),
    ...marks,
  };
}

/** What of a body bounds its cost, in the names of chat. */
export function boundsOf(json: JsonObject, endpoint: Endpoint): JsonObject {
  if (endpoint === 'gemini') return geminiBounds(json);
  return endpoint === 'responses' ? responsesBounds(json) : json;
}

function boundOf({ json, size, endpoint, models, overrides = [] }: BoundedRequest): RequestBound {
  const limits = models.map(modelLimits);
  const imageTokens = Math.max(...limits.map((limit) => limit.imageTokens));
  const embeds = endpoint === 'embeddings' || endpoint === 'embedContents';
  const media = embeds ? nothing : mediaOf(wordsOf(json, 'messages', 0), imageTokens);
  const tools = listOf(json.tools).length + listOf(json.functions).length > 0 ? TOOLS_TOKENS : 0;
  const prompt = {
    textTokens: Math.max(0, size - media.inlined) + tools,
    imageTokens: media.imageTokens,
    audioTokens: media.audioTokens,
    ...([json, ...overrides].some(asksForHourCache) && { hourCache: true }),
  };
  const asked = variantsOf(json, endpoint, overrides);
  const choices = Math.max(...asked.map((variant) => choicesOf(variant, json, endpoint)));
  const rest = { prompt, choices, predicted: predictedTokens(json) };
  if (embeds) return { ...rest, limit: 0, maximum: 0, minimum: 0, predicted: 0 };
  const minimum = minimumOf(json, models);
  const allowed = asked.map(limitOf);
  // There is no member by which its upstream could be told a limit.
  if (endpoint === 'edits') {
    const maximum = Math.max(...limits.map(({ outputTokens }) => outputTokens));
    return { ...rest, limit: maximum, maximum, minimum: 1 };
  }
  return {
    ...rest,
    limit: allowed.every((limit) => limit > 0) ? Math.max(minimum, ...allowed) : 0,
    maximum: Math.max(
      minimum,
      ...limits.map(({ outputTokens }) => outputTokens),
      ...(overrides.length > 0 ? allowed : []),
    ),
    minimum,
  };
}

/** Whisper is charged by the length alone; models that count tokens say no more than was spoken. */
function soundBound(json: JsonObject, models: readonly string[], sound: Sound): RequestBound {
  const audioTokens = mostSoundTokens(sound);
  const speaks = models.some((model) => !/whisper/i.test(model));
  const maximum = speaks ? Math.min(audioTokens, MOST_SPOKEN) : 0;
  const prompt = { textTokens: Buffer.byteLength(JSON.stringify(json)), imageTokens: 0, audioTokens };
  return { prompt, choices: 1, limit: maximum, maximum, minimum: 0, predicted: 0, stated: mostStatedTokens(sound) };
}

/** What a template adds to each document, and the most that is said of one. */
const RANKED_TOKENS = 16;

/** The query is read with each document, or each piece of it, and upstreams count it as often. */
function rerankBound(json: JsonObject, size: number): RequestBound {
  const query = textOf(wordsOf(json, 'query', 0));
  const queryTokens = Math.max(Buffer.byteLength(query), lengthOf(query));
  const documents = listOf(wordsOf(json, 'documents', 0)).length;
  const pieces = Math.max(1, countOf(json.max_chunk_per_doc), countOf(json.max_chunks_per_doc));
  const read = Math.min(documents * pieces, documents + size);
  const said = documents * RANKED_TOKENS;
  return {
    prompt: { textTokens: size + read * (queryTokens + RANKED_TOKENS), imageTokens: 0, audioTokens: 0 },
    ...{ choices: 1, limit: said, maximum: said, minimum: 0, predicted: 0 },
  };
}

/** Texts, and pictures among them; nothing is written. */
function moderationBound(json: JsonObject, { size, models }: Omit<BoundedRequest, 'json'>): RequestBound {
  const imageTokens = Math.max(...models.map((model) => modelLimits(model).imageTokens));
  const media = mediaOf([{ content: wordsOf(json, 'input', 0) }], imageTokens);
  const prompt = {
    textTokens: Math.max(0, size - media.inlined),
    imageTokens: media.imageTokens,
    audioTokens: media.audioTokens,
  };
  return { prompt, choices: 1, limit: 0, maximum: 0, minimum: 0, predicted: 0 };
}

const listOf = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const objectOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
/** Some upstreams read a number out of a text. */
const countOf = (value: Json | undefined): number => {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0;
  return number > 0 ? Math.min(Math.ceil(number), MOST_CHOICES) : 0;
};

/** Members that bound the answers, as a channel gets them. */
type Asked = Partial<Record<(typeof BOUNDING)[number], Json | undefined>>;
const BOUNDING = ['max_tokens', 'max_completion_tokens', 'n', 'best_of'] as const;

/** What each channel will be asked for. Overrides apply to requests of OpenAI's dialect for text. */
function variantsOf(json: JsonObject, endpoint: Endpoint, overrides: readonly JsonObject[]): Asked[] {
  const own: Asked = Object.fromEntries(BOUNDING.map((name) => [name, json[name]]));
  const applies = endpoint === 'chat' || endpoint === 'completions' || endpoint === 'responses';
  if (!applies || overrides.length === 0) return [own];
  return overrides.map((override) => {
    const put = overridesOf(override).filter(([name]) => (BOUNDING as readonly string[]).includes(name));
    const { max_output_tokens: most } = override;
    const told = endpoint === 'responses' ? most !== undefined && { max_tokens: most } : Object.fromEntries(put);
    return { ...own, ...overriddenConfig(override), ...told };
  });
}

/** Gemini's channels are overridden in Gemini's names. */
function overriddenConfig({ generationConfig }: JsonObject): Asked {
  const { maxOutputTokens, candidateCount } = objectOf(generationConfig);
  return {
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens, max_completion_tokens: undefined }),
    ...(candidateCount !== undefined && { n: candidateCount }),
  };
}

const limitOf = (json: Asked): number => Math.max(countOf(json.max_tokens), countOf(json.max_completion_tokens));

/** They have one answer, whatever their members say. */
const SINGLE: readonly Endpoint[] = ['messages', 'responses', 'embeddings', 'embedContents'];

function choicesOf(asked: Asked, json: JsonObject, endpoint: Endpoint): number {
  if (SINGLE.includes(endpoint)) return 1;
  const perPrompt = Math.max(1, countOf(asked.n), countOf(asked.best_of));
  return Math.min(MOST_CHOICES, perPrompt * (endpoint === 'completions' ? promptsOf(wordsOf(json, 'prompt', 0)) : 1));
}

/** One text, one list of token ids, or a list of either. */
function promptsOf(prompt: Json | undefined): number {
  const prompts = listOf(prompt);
  return prompts.every((item) => typeof item === 'number') ? 1 : prompts.length;
}

function minimumOf({ thinking }: JsonObject, models: readonly string[]): number {
  const budget = countOf(objectOf(thinking).budget_tokens);
  const named = models.some((model) => model.endsWith('-thinking')) ? THINKING_LIMIT : 1;
  return Math.max(named, budget > 0 ? budget + 1 : 1);
}

const predictedTokens = ({ prediction }: JsonObject): number =>
  typeof prediction === 'object' && prediction !== null ? Buffer.byteLength(JSON.stringify(prediction)) : 0;

interface MediaBound {
  imageTokens: number;
  audioTokens: number;
  /** Characters of the body that are no text. */
  inlined: number;
}

const nothing: MediaBound = { imageTokens: 0, audioTokens: 0, inlined: 0 };

const plus = (a: MediaBound, b: MediaBound): MediaBound => ({
  imageTokens: a.imageTokens + b.imageTokens,
  audioTokens: a.audioTokens + b.audioTokens,
  inlined: a.inlined + b.inlined,
});

/** What is given by address has no bytes to go by: the most that providers take of it. */
const REMOTE_TOKENS = { audio: 20_000, video: 80_000, document: 200_000 };
/** 32 tokens a second, and no format needs less than 1 000 bytes for one, written as base64. */
const AUDIO_BYTES_PER_TOKEN = 32;
const VIDEO_BYTES_PER_TOKEN = 16;
/** Its pages count as pictures besides their text, and text may be packed. */
const DOCUMENT_TOKENS = 10_000;

type Kind = 'image' | 'audio' | 'video' | 'document';

/** A content part that is not text: where its data or its address stands. */
const sources: Readonly<Record<string, (part: JsonObject) => { kind: Kind; value: Json | undefined }>> = {
  image_url: ({ image_url: url }) => ({ kind: 'image', value: objectOf(url).url ?? url }),
  input_image: ({ image_url: url }) => ({ kind: 'image', value: objectOf(url).url ?? url }),
  image: ({ source, image }) => ({ kind: 'image', value: objectOf(source).data ?? image }),
  input_audio: ({ input_audio: audio }) => ({ kind: 'audio', value: objectOf(audio).data }),
  audio_url: ({ audio_url: url }) => ({ kind: 'audio', value: objectOf(url).url ?? url }),
  video_url: ({ video_url: url }) => ({ kind: 'video', value: objectOf(url).url ?? url }),
  video: ({ video }) => ({ kind: 'video', value: video }),
  file: ({ file }) => ({ kind: 'document', value: objectOf(file).file_data }),
  input_file: ({ file_data: data }) => ({ kind: 'document', value: data }),
  document: ({ source }) => ({ kind: 'document', value: objectOf(source).data }),
};

/** Only parts of a message's content are media; the same words anywhere else are text to the model. */
function mediaOf(messages: Json | undefined, imageTokens: number): MediaBound {
  let sum = nothing;
  const visit = (content: Json | undefined, depth: number): void => {
    if (depth > 3) return;
    for (const item of listOf(content)) {
      const part = objectOf(item);
      const found = partBound(part, imageTokens);
      if (found) sum = plus(sum, found);
      // Results of tools and documents made of blocks hold parts of their own.
      visit(part.content ?? objectOf(part.source).content, depth + 1);
    }
  };
  for (const message of listOf(messages)) visit(objectOf(message).content, 0);
  return sum;
}

function partBound(part: JsonObject, imageTokens: number): MediaBound | undefined {
  const name = textOf(part.type);
  const source = Object.hasOwn(sources, name) ? sources[name]?.(part) : undefined;
  if (!source) return undefined;
  const style = objectOf(part.source).type;
  if (name === 'document' && (style === 'text' || style === 'content')) return undefined;
  if (Array.isArray(source.value)) return framesBound(source.value, imageTokens);
  return boundOfKind(source.kind, inlinedIn(source.value), imageTokens);
}

/** A video as a list of pictures. */
const framesBound = (frames: Json[], imageTokens: number): MediaBound => ({
  imageTokens: frames.length * imageTokens,
  audioTokens: 0,
  inlined: frames.reduce<number>((sum, frame) => sum + inlinedIn(frame), 0),
});

/** Characters of data; 0: an address, or nothing at all. */
function inlinedIn(value: Json | undefined): number {
  const text = textOf(value);
  return /^https?:/i.test(text) ? 0 : lengthOf(text);
}

function boundOfKind(kind: Kind, inlined: number, imageTokens: number): MediaBound {
  if (kind === 'image') return { imageTokens, audioTokens: 0, inlined };
  if (kind === 'audio') {
    const heard = Math.max(LEAST_MEDIA.sound, Math.ceil(inlined / AUDIO_BYTES_PER_TOKEN));
    const tokens = inlined > 0 ? heard : REMOTE_TOKENS.audio;
    return { imageTokens: 0, audioTokens: tokens, inlined };
  }
  if (kind === 'video') {
    const seen = Math.max(LEAST_MEDIA.film, imageTokens + Math.ceil(inlined / VIDEO_BYTES_PER_TOKEN));
    const tokens = inlined > 0 ? seen : REMOTE_TOKENS.video;
    return { imageTokens: tokens, audioTokens: 0, inlined };
  }
  return {
    imageTokens: inlined > 0 ? Math.max(inlined, DOCUMENT_TOKENS) : REMOTE_TOKENS.document,
    audioTokens: 0,
    inlined,
  };
}
