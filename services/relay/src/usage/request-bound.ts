import type { Searches, Usage } from '@tollgate/contracts';
import { modelLimits, type PromptBound } from '@tollgate/pricing';
import {
  alwaysSearches,
  arrayOf,
  askedSearches,
  asksForHourCache,
  continues,
  geminiBounds,
  googleSearches,
  type Json,
  type JsonObject,
  lengthOf,
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
import { speechBound } from './characters.js';
import { embeddedMedia, type MediaBound, mediaOf } from './media-bound.js';
import { picturesBound } from './pictures.js';
import { LARGEST_WINDOW, largestWindow } from './context-window.js';
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
  /** The same of media that stand elsewhere: nobody here knows how long they are. Of those that are heard it may be sound. */
  remote?: { tokens: number; isHeard: boolean };
  /** The same of an upstream that has a context of its own. It heeds no limit of an answer, either. */
  ownContext?: number;
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
  /** How upstreams that get the body as it is read it, where that is not as its endpoint does; in the names of chat. */
  readings?: readonly JsonObject[];
  /** A channel that may be asked runs functions of Google's names itself. */
  runsGoogleTools?: boolean;
  /** A channel that may be asked leads to an agent or an app, which reads what nobody here has seen. */
  hasOwnContext?: boolean;
  /** A channel that may be asked leaves out how long an answer may be. */
  heedsNoLimit?: boolean;
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
  if (request.endpoint === 'rerank') return rerankBound(asked, request);
  if (request.endpoint === 'images' || request.endpoint === 'imageEdits')
    return picturesBound({ ...request, json: asked });
  if (request.endpoint === 'speech') return speechBound(asked, request);
  if (request.endpoint === 'moderations') return moderationBound(asked, request);
  const bound = asHeeded(boundOf({ ...request, json: boundsOf(asked, request.endpoint) }), request);
  return withOwnContext(withFound(bound, { ...request, json: asked }), request);
}

/** A limit that is left out bounds nothing, however small: the answer is as long as without one. */
const asHeeded = (
  bound: RequestBound,
  { endpoint, heedsNoLimit = false }: Pick<BoundedRequest, 'endpoint' | 'heedsNoLimit'>,
): RequestBound =>
  heedsNoLimit && ENDPOINTS[endpoint].isConversation
    ? { ...bound, limit: 0, maximum: Math.max(bound.maximum, bound.limit) }
    : bound;

/** It goes by another name than the models behind it, of which there may be several, so that the largest window stands for all they read. */
const withOwnContext = (
  bound: RequestBound,
  { endpoint, hasOwnContext = false }: Pick<BoundedRequest, 'endpoint' | 'hasOwnContext'>,
): RequestBound =>
  hasOwnContext && ENDPOINTS[endpoint].isConversation ? { ...bound, ownContext: LARGEST_WINDOW } : bound;

type SearchMarks = Pick<RequestBound, 'isSearched' | 'isSearchedUnasked'>;
type Found = SearchMarks & { searches?: Searches };

/** By the names of functions, in dialects that are written anew for Google. What code prints is read like what a search finds, and costs nothing beside. */
function googleToolsOf({ json, endpoint, runsGoogleTools: runs }: BoundedRequest): Found {
  const searches = runs && endpoint !== 'gemini' ? googleSearches(namedGoogleTools(json)) : undefined;
  return searches ? { searches } : {};
}

function searchesOf(request: BoundedRequest): Found {
  const { json, endpoint, models, sent = models } = request;
  const { searches: dialect, isConversation } = ENDPOINTS[endpoint];
  const asked = dialect && askedSearches(json, dialect);
  if (asked) return { searches: asked, ...(dialect === 'chat' && { isSearched: true }) };
  const isSearched = isConversation && sent.some(alwaysSearches);
  return isSearched ? { searches: oneSearch({}), isSearched, isSearchedUnasked: true } : googleToolsOf(request);
}

/**
 * What of a bound holds for what is sent under this name: of several channels only some may lead to a model that searches unasked, or to an
 * upstream with a context of its own.
 */
export function boundSentAs(sum: RequestBound, model: string, hasOwnContext = false): RequestBound {
  const bound = hasOwnContext ? sum : withoutOwnContext(sum);
  if (!bound.isSearchedUnasked || alwaysSearches(model)) return bound;
  const { isSearched: _, isSearchedUnasked: _unasked, searched: _windows, ...rest } = bound;
  const { searches: _searches, ...prompt } = rest.prompt;
  return { ...rest, prompt };
}

function withoutOwnContext(bound: RequestBound): RequestBound {
  if (bound.ownContext === undefined) return bound;
  const { ownContext: _, ...rest } = bound;
  return rest;
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
  if (endpoint === 'embedContents') return geminiBounds({ contents: contentsOf(json) });
  return endpoint === 'responses' ? responsesBounds(json) : json;
}

/** What one request wants embedded, or each of a batch. */
const contentsOf = (json: JsonObject): Json[] =>
  [json, ...arrayOf(wordsOf(json, 'requests', 0)).map(objectOf)].map(
    (request) => wordsOf(request, 'content', 0) ?? null,
  );

/** Of the pictures and the sound of a prompt, what an upstream may count beside what is held for them. */
const remoteOf = ({ isRemote, isHeard }: MediaBound, models: readonly string[]): Pick<RequestBound, 'remote'> =>
  isRemote ? { remote: { tokens: largestWindow(models), isHeard } } : {};

function boundOf({ json, size, endpoint, models, overrides = [], readings = [] }: BoundedRequest): RequestBound {
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
    textTokens: Math.max(0, size - media.inlined) + tools,
    imageTokens: media.imageTokens,
    audioTokens: media.audioTokens,
    ...([json, ...overrides].some(asksForHourCache) && { hourCache: true }),
  };
  const asked: Asked[] = [...variantsOf(json, endpoint, overrides), ...readings];
  const choices = Math.max(...asked.map((variant) => choicesOf(variant, json, endpoint)));
  const rest = { prompt, choices, predicted: predictedTokens(json), ...remoteOf(media, models) };
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

/** The query is read with each document, or each piece of it, and upstreams count it as often. Documents may be pictures. */
function rerankBound(json: JsonObject, { size, models }: Pick<BoundedRequest, 'size' | 'models'>): RequestBound {
  const query = textOf(wordsOf(json, 'query', 0));
  const queryTokens = Math.max(Buffer.byteLength(query), lengthOf(query));
  const list = wordsOf(json, 'documents', 0);
  const media = embeddedMedia(list, Math.max(...models.map((model) => modelLimits(model).imageTokens)));
  const documents = arrayOf(list).length;
  const pieces = Math.max(1, countOf(json.max_chunk_per_doc), countOf(json.max_chunks_per_doc));
  const read = Math.min(documents * pieces, documents + size);
  const said = documents * RANKED_TOKENS;
  const textTokens = Math.max(0, size - media.inlined) + read * (queryTokens + RANKED_TOKENS);
  return {
    prompt: { textTokens, imageTokens: media.imageTokens, audioTokens: 0 },
    ...{ choices: 1, limit: said, maximum: said, minimum: 0, predicted: 0 },
    ...remoteOf(media, models),
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
  const prompts = arrayOf(prompt);
  return prompts.every((item) => typeof item === 'number') ? 1 : prompts.length;
}

function minimumOf({ thinking }: JsonObject, models: readonly string[]): number {
  const budget = countOf(objectOf(thinking).budget_tokens);
  const named = models.some((model) => model.endsWith('-thinking')) ? THINKING_LIMIT : 1;
  return Math.max(named, budget > 0 ? budget + 1 : 1);
}

const predictedTokens = ({ prediction }: JsonObject): number =>
  typeof prediction === 'object' && prediction !== null ? Buffer.byteLength(JSON.stringify(prediction)) : 0;
