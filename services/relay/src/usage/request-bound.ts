import type { Searches } from '@tollgate/contracts';
import { modelLimits } from '@tollgate/pricing';
import {
  alwaysSearches,
  arrayOf,
  requestedSearches,
  asksForHourCache,
  continues,
  type Dialect,
  geminiBounds,
  googleSearches,
  type Json,
  type JsonObject,
  lengthOf,
  MIN_THINKING_TOKENS,
  namedGoogleTools,
  objectOf,
  oneSearch,
  overridesOf,
  responsesBounds,
  textOf,
  USUAL_SEARCHES,
  wordsOf,
} from '@tollgate/providers';
import { type Endpoint, ENDPOINTS } from '../call/endpoints.js';
import type { RequestBound } from './bound.js';
import { speechBound } from './characters.js';
import { embeddedMedia, type MediaBound, mediaOf } from './media-bound.js';
import { picturesBound } from './pictures.js';
import { LARGEST_WINDOW, largestWindow } from './context-window.js';
import { mostSoundTokens, mostStatedTokens, type Sound } from './sound.js';

// Before a request is sent, its highest possible cost is held. Here the token counts are computed that it follows from:
// by the request's body and the published limits of the models that may serve it.

/** What is known about a request before its channel is chosen; where the candidate channels differ, the worst counts. */
export interface BoundedRequest {
  json: JsonObject;
  /** Bytes of the body as sent. No tokenizer makes more tokens of a text than it has bytes. */
  size: number;
  endpoint: Endpoint;
  /** The requested model name and the names to which channels map it. */
  models: readonly string[];
  /** The names that are sent to upstreams; all of `models` when absent. */
  sent?: readonly string[];
  /** Searches that the client did not request cost nothing but their tokens (option `ChargeUnaskedSearchEnabled`). */
  unaskedAreFree?: boolean;
  /** The parameter overrides of the candidate channels; when absent, the client's members apply. */
  overrides?: readonly JsonObject[];
  /**
   * How upstreams read a body that is forwarded byte for byte, where their reading differs from that of the endpoint;
   * in the member names of chat.
   */
  readings?: readonly JsonObject[];
  /** No candidate channel sends pictures in texts of earlier answers as text. */
  convertsPictureTexts?: boolean;
  /** A candidate channel's upstream runs functions with Google's tool names itself. */
  runsGoogleTools?: boolean;
  /** A candidate channel leads to an agent or an app, which reads content that was not sent from here. */
  hasOwnContext?: boolean;
  /** The dialect of a candidate channel omits the output limit. */
  heedsNoLimit?: boolean;
  /** The sound file of a form. */
  sound?: Sound | undefined;
  /** Number of pictures in a form. */
  sources?: number;
}

/** Tokens that Anthropic and OpenAI add to a prompt with tools, in addition to its bytes. */
const TOOLS_TOKENS = 1000;
/** The longest answer of a model that transcribes speech, in tokens. */
const MOST_SPOKEN = 16_384;
/** More than any wallet can pay, and far from where numbers lose precision. */
const MOST_CHOICES = 1e9;

/** Computes the bound, in a time linear in the number of content parts; of texts only the length is used. */
export function requestBound({ json: requested, sound, ...request }: BoundedRequest): RequestBound {
  if (sound) return soundBound(requested, request.models, sound);
  if (request.endpoint === 'rerank') return rerankBound(requested, request);
  if (request.endpoint === 'images' || request.endpoint === 'imageEdits')
    return picturesBound({ ...request, json: requested });
  if (request.endpoint === 'speech') return speechBound(requested, request);
  if (request.endpoint === 'moderations') return moderationBound(requested, request);
  const bound = asHeeded(boundOf({ ...request, json: boundsOf(requested, request.endpoint) }), request);
  return withOwnContext(withReadAgain(bound, { ...request, json: requested }), request);
}

/** Where a candidate's dialect omits the client's limit, that does not bound the answer. */
const asHeeded = (
  bound: RequestBound,
  { endpoint, heedsNoLimit = false }: Pick<BoundedRequest, 'endpoint' | 'heedsNoLimit'>,
): RequestBound =>
  heedsNoLimit && ENDPOINTS[endpoint].isConversation
    ? { ...bound, limit: 0, maximum: Math.max(bound.maximum, bound.limit) }
    : bound;

/**
 * An agent or app has another name than the models behind it, and may use several; the largest window covers what they
 * read.
 */
const withOwnContext = (
  bound: RequestBound,
  { endpoint, hasOwnContext = false }: Pick<BoundedRequest, 'endpoint' | 'hasOwnContext'>,
): RequestBound =>
  hasOwnContext && ENDPOINTS[endpoint].isConversation ? { ...bound, ownContext: LARGEST_WINDOW } : bound;

type SearchMarks = Pick<RequestBound, 'isSearched' | 'isSearchedUnasked'>;
type Found = SearchMarks & { searches?: Searches };

/**
 * Google's tools, requested by function names in dialects that are converted for Google. The output of executed code is
 * read like search results, without a charge of its own.
 */
function googleToolsOf({ json, endpoint, runsGoogleTools: runs }: BoundedRequest): Found {
  const searches = runs && endpoint !== 'gemini' ? googleSearches(namedGoogleTools(json)) : undefined;
  return searches ? { searches } : {};
}

function searchesOf(request: BoundedRequest): Found {
  const { json, endpoint, models, sent = models } = request;
  const { searches: dialect, isConversation } = ENDPOINTS[endpoint];
  const requested = dialect && requestedSearches(json, dialect);
  if (requested) return { searches: requested, ...(dialect === 'chat' && { isSearched: true }) };
  const isSearched = isConversation && sent.some(alwaysSearches);
  return isSearched ? { searches: oneSearch({}), isSearched, isSearchedUnasked: true } : googleToolsOf(request);
}

/**
 * The bound for a request that is sent under this model name: only some of the candidate channels may lead to a model
 * that always searches, or to an upstream with a context of its own.
 */
export function boundSentAs(sum: RequestBound, model: string, hasOwnContext = false): RequestBound {
  const bound = hasOwnContext ? sum : withoutOwnContext(sum);
  if (!bound.isSearchedUnasked || alwaysSearches(model)) return bound;
  const { isSearched: _, isSearchedUnasked: _unasked, searchTokens: _windows, ...rest } = bound;
  const { searches: _searches, ...prompt } = rest.prompt;
  return { ...rest, prompt };
}

function withoutOwnContext(bound: RequestBound): RequestBound {
  if (bound.ownContext === undefined) return bound;
  const { ownContext: _, ...rest } = bound;
  return rest;
}

/** How many times search results may be read; for executed code the usual number of searches is assumed. */
const timesRead = ({ web = 0, file = 0, google = 0 }: Searches): number =>
  Math.max(web, file, google) || USUAL_SEARCHES;

/** A stored conversation is read again, and search results are read too: they may fill the model's whole window. */
function withReadAgain(bound: RequestBound, request: BoundedRequest): RequestBound {
  const { searches, ...marks } = searchesOf(request);
  if (!searches && !(request.endpoint === 'responses' && continues(request.json))) return bound;
  const { prompt } = bound;
  const window = largestWindow(request.models);
  const isFree = request.unaskedAreFree === true && marks.isSearchedUnasked === true;
  return {
    ...bound,
    prompt: { ...prompt, textTokens: prompt.textTokens + window, ...(searches && !isFree && { searches }) },
    ...(searches && { searchTokens: timesRead(searches) * window }),
    ...marks,
  };
}

const inNamesOfChat = (json: JsonObject): JsonObject => json;

const bounds: Readonly<Record<Dialect, (json: JsonObject) => JsonObject>> = {
  openai: inNamesOfChat,
  anthropic: inNamesOfChat,
  responses: responsesBounds,
  gemini: geminiBounds,
};

/** The members of a body that bound its cost, in the names of chat. */
export function boundsOf(json: JsonObject, endpoint: Endpoint): JsonObject {
  const asked = endpoint === 'embedContents' ? { contents: contentsOf(json) } : json;
  return bounds[ENDPOINTS[endpoint].dialect](asked);
}

/** The contents to be embedded, of a single request or of each in a batch. */
const contentsOf = (json: JsonObject): Json[] =>
  [json, ...arrayOf(wordsOf(json, 'requests', 0)).map(objectOf)].map(
    (request) => wordsOf(request, 'content', 0) ?? null,
  );

/** What an upstream may count for pictures and sound in addition to what is held for them. */
const remoteOf = ({ isRemote, isHeard }: MediaBound, models: readonly string[]): Pick<RequestBound, 'remote'> =>
  isRemote ? { remote: { tokens: largestWindow(models), isHeard } } : {};

function boundOf(request: BoundedRequest): RequestBound {
  const { json, size, endpoint, models, overrides = [], readings = [] } = request;
  const limits = models.map(modelLimits);
  const imageTokens = Math.max(...limits.map((limit) => limit.imageTokens));
  const embeds = endpoint === 'embeddings' || endpoint === 'embedContents';
  const media =
    endpoint === 'embeddings'
      ? embeddedMedia(wordsOf(json, 'input', 0), imageTokens)
      : mediaOf(
          [json, ...readings].flatMap((reading) => arrayOf(wordsOf(reading, 'messages', 0))),
          imageTokens,
        );
  const tools = arrayOf(json.tools).length + arrayOf(json.functions).length > 0 ? TOOLS_TOKENS : 0;
  const prompt = {
    textTokens: Math.max(0, size - media.inlined - (request.convertsPictureTexts ? media.shown : 0)) + tools,
    imageTokens: media.imageTokens,
    audioTokens: media.audioTokens,
    ...([json, ...overrides].some(asksForHourCache) && { hourCache: true }),
  };
  const variants: Variant[] = [...variantsOf(json, endpoint, overrides), ...readings];
  const choices = Math.max(...variants.map((variant) => choicesOf(variant, json, endpoint)));
  const rest = { prompt, choices, predicted: predictedTokens(json), ...remoteOf(media, models) };
  if (embeds) return { ...rest, limit: 0, maximum: 0, minimum: 0, predicted: 0 };
  const minimum = minimumOf(json, models);
  const allowed = variants.map(limitOf);
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

/** Whisper is charged by length alone; models that count tokens generate no more text than was spoken. */
function soundBound(json: JsonObject, models: readonly string[], sound: Sound): RequestBound {
  const audioTokens = mostSoundTokens(sound);
  const speaks = models.some((model) => !/whisper/i.test(model));
  const maximum = speaks ? Math.min(audioTokens, MOST_SPOKEN) : 0;
  const prompt = { textTokens: Buffer.byteLength(JSON.stringify(json)), imageTokens: 0, audioTokens };
  const output = { choices: 1, limit: maximum, maximum, minimum: 0, predicted: 0 };
  return { prompt, ...output, soundTokens: mostStatedTokens(sound) };
}

/** Tokens that a template adds to each document, and the most output for one. */
const RANKED_TOKENS = 16;

/**
 * The bound of a rerank request. The query is read, and counted by upstreams, with each document or each piece of it.
 * Documents may be pictures.
 */
function rerankBound(json: JsonObject, { size, models }: Pick<BoundedRequest, 'size' | 'models'>): RequestBound {
  const query = textOf(wordsOf(json, 'query', 0));
  const queryTokens = Math.max(Buffer.byteLength(query), lengthOf(query));
  const list = wordsOf(json, 'documents', 0);
  const media = embeddedMedia(list, Math.max(...models.map((model) => modelLimits(model).imageTokens)));
  const documents = arrayOf(list).length;
  const pieces = Math.max(1, countOf(json.max_chunk_per_doc), countOf(json.max_chunks_per_doc));
  const read = Math.min(documents * pieces, documents + size);
  const outputTokens = documents * RANKED_TOKENS;
  const textTokens = Math.max(0, size - media.inlined) + read * (queryTokens + RANKED_TOKENS);
  return {
    prompt: { textTokens, imageTokens: media.imageTokens, audioTokens: 0 },
    ...{ choices: 1, limit: outputTokens, maximum: outputTokens, minimum: 0, predicted: 0 },
    ...remoteOf(media, models),
  };
}

/** The bound of texts and pictures to be moderated; there is no output. */
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

/** A count of tokens or answers, 0 for none. Some upstreams accept a number given as a text. */
export const countOf = (value: Json | undefined): number => {
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0;
  return number > 0 ? Math.min(Math.ceil(number), MOST_CHOICES) : 0;
};

/** The members that bound the answers, as sent to one channel. */
type Variant = Partial<Record<(typeof BOUNDING)[number], Json | undefined>>;
const BOUNDING = ['max_tokens', 'max_completion_tokens', 'n', 'best_of'] as const;

/** The bounding members as each channel will send them. Overrides apply to text requests of OpenAI's dialects. */
function variantsOf(json: JsonObject, endpoint: Endpoint, overrides: readonly JsonObject[]): Variant[] {
  const own: Variant = Object.fromEntries(BOUNDING.map((name) => [name, json[name]]));
  const applies = endpoint === 'chat' || endpoint === 'completions' || endpoint === 'responses';
  if (!applies || overrides.length === 0) return [own];
  return overrides.flatMap((override) => {
    const put: Variant = Object.fromEntries(
      overridesOf(override).filter(([name]) => (BOUNDING as readonly string[]).includes(name)),
    );
    const converted = { ...own, ...overriddenConfig(override), ...put };
    const { max_output_tokens: most } = override;
    if (endpoint !== 'responses' || most === undefined) return [converted];
    // The name counts where the upstream takes responses itself; where it does not, another one counts that is stated.
    const taken = { ...converted, max_tokens: most };
    return put.max_tokens === undefined ? [taken] : [taken, converted];
  });
}

/** Overrides for Gemini's channels use Gemini's member names. */
function overriddenConfig({ generationConfig }: JsonObject): Variant {
  const { maxOutputTokens, candidateCount } = objectOf(generationConfig);
  return {
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens, max_completion_tokens: undefined }),
    ...(candidateCount !== undefined && { n: candidateCount }),
  };
}

const limitOf = (json: Variant): number => Math.max(countOf(json.max_tokens), countOf(json.max_completion_tokens));

/** Endpoints with exactly one answer, regardless of the request's members. */
const SINGLE: readonly Endpoint[] = ['messages', 'embeddings', 'embedContents'];

function choicesOf(variant: Variant, json: JsonObject, endpoint: Endpoint): number {
  if (SINGLE.includes(endpoint)) return 1;
  const perPrompt = Math.max(1, countOf(variant.n), countOf(variant.best_of));
  return Math.min(MOST_CHOICES, perPrompt * (endpoint === 'completions' ? promptsOf(wordsOf(json, 'prompt', 0)) : 1));
}

/** The number of prompts: one text, one list of token ids, or a list of either. */
function promptsOf(prompt: Json | undefined): number {
  const prompts = arrayOf(prompt);
  return prompts.every((item) => typeof item === 'number') ? 1 : prompts.length;
}

/** The output limit is raised when the model name asks for thinking, see `claudeMembers`. */
function minimumOf({ thinking }: JsonObject, models: readonly string[]): number {
  const budget = countOf(objectOf(thinking).budget_tokens);
  return Math.max(minimumAt(models), budget > 0 ? budget + 1 : 1);
}

/** The smallest output limit that these models accept when a request asks for no thinking itself. */
export const minimumAt = (models: readonly string[]): number =>
  models.some((model) => model.endsWith('-thinking')) ? MIN_THINKING_TOKENS : 1;

const predictedTokens = ({ prediction }: JsonObject): number =>
  typeof prediction === 'object' && prediction !== null ? Buffer.byteLength(JSON.stringify(prediction)) : 0;
