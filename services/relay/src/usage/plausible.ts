import type { TokenCount, Usage } from '@tollgate/contracts';
import { completionTokensOf } from '@tollgate/contracts';
import { UNKNOWN_MODEL } from '@tollgate/pricing';
import { LARGEST_WINDOW } from './context-window.js';
import type { RequestBound } from './request-bound.js';
import { chargedSearches } from './searches.js';

/** The most that an upstream can truly have used for a request, in tokens. */
export interface UsageLimits {
  prompt: number;
  /** Of the prompt, as sound: there may be some in pictures that move, and none in text. */
  audio: number;
  output: number;
}

export interface Exchanged {
  /** Bytes that were sent beyond the client's own: what the channel puts in. */
  addedBytes: number;
  /** Bytes that came back. */
  receivedBytes: number;
  /** Tokens of one answer that the upstream was told to keep to, where we told it. */
  outputLimit?: number | undefined;
  /** Sound has a price of its own: what is put before the client's words may be spoken. */
  hears?: boolean;
}

/**
 * What a chat template, a provider's rules for tools and a system prompt of its own add, cached or not. Claude's rules are some 600 tokens;
 * resellers put whole system prompts before what they are asked.
 */
export const TEMPLATE_TOKENS = 4096;

/**
 * No tokenizer makes more tokens of a text than it has bytes, so the prompt is bounded by what was sent and its media, and what was said by
 * what was received. Reasoning may be kept from us; for it the client's limit, or else the model's, is allowed beside. What stands with the
 * upstream, at an address or is its own has no bytes here: for that a whole context of the model is allowed.
 */
export function usageLimits(bound: RequestBound, { addedBytes, receivedBytes, ...told }: Exchanged): UsageLimits {
  const { prompt, maximum, stated = 0, searched = 0, ownContext = 0, remote } = bound;
  const audio = Math.max(prompt.audioTokens, stated);
  const unseen = remote?.tokens ?? 0;
  const hidden = hiddenOutput(bound, told.outputLimit);
  return {
    prompt:
      prompt.textTokens + prompt.imageTokens + audio + searched + unseen + ownContext + addedBytes + TEMPLATE_TOKENS,
    audio:
      audio + prompt.imageTokens + (remote?.isHeard ? unseen : 0) + addedBytes + (told.hears ? TEMPLATE_TOKENS : 0),
    // An embedding has no output, and pictures have more bytes than tokens.
    output: maximum === 0 || prompt.pictures ? hidden : receivedBytes + hidden,
  };
}

/** An agent heeds no limit: it asks its models as it was set up. */
function hiddenOutput(
  { choices, limit, maximum, predicted, ownContext }: RequestBound,
  outputLimit = Infinity,
): number {
  const most = ownContext === undefined ? Math.min(limit || maximum, outputLimit) : maximum;
  return choices * most + predicted;
}

/** So often an agent may ask its models for one answer, or a model read what it found. */
const MOST_CALLS = 10;

/** What of a stated usage is charged. */
export interface Believed {
  usage: Usage;
  /** More was stated than can be true; this is the most that can. */
  isCut: boolean;
}

/**
 * What a usage is believed as: as it is stated, or cut to the most that can be true. An upstream that puts much before the prompt, or that goes on
 * beyond the limit it was told, charges its operator for that, and whoever asked pays as much of it as the hold and the bytes allow. Undefined:
 * numbers that not even several calls of a model could have used are nobody's count.
 */
export function believedOf(usage: Usage, limits: UsageLimits): Believed | undefined {
  if (isPlausible(usage, limits)) return { usage, isCut: false };
  const isCount = areCounts(usage) && promptOf(usage) <= limits.prompt + MOST_CALLS * LARGEST_WINDOW;
  if (!isCount || completionTokensOf(usage) > limits.output + MOST_CALLS * UNKNOWN_MODEL.outputTokens) return undefined;
  return { usage: withinOutput(withinPrompt(usage, limits), limits), isCut: true };
}

/** Whether every number of a usage is one, and none is above what can be true. */
export function isPlausible(usage: Usage, limits: UsageLimits): boolean {
  if (!areCounts(usage) || (usage.audioInputTokens ?? 0) > limits.audio) return false;
  return promptOf(usage) <= limits.prompt && completionTokensOf(usage) <= limits.output;
}

function areCounts({ semantics: _, pictures: _pictures, searches: _searches, ...counts }: Usage): boolean {
  return Object.values(counts).every((tokens) => Number.isSafeInteger(tokens) && tokens >= 0);
}

const sides: Readonly<Record<TokenCount, 'prompt' | 'output'>> = {
  inputTokens: 'prompt',
  cacheReadTokens: 'prompt',
  cacheWriteTokens: 'prompt',
  cacheWriteHourTokens: 'prompt',
  imageInputTokens: 'prompt',
  audioInputTokens: 'prompt',
  outputTokens: 'output',
  audioOutputTokens: 'output',
  reasoningTokens: 'output',
};
const countsOn = (side: 'prompt' | 'output'): readonly TokenCount[] =>
  (Object.keys(sides) as TokenCount[]).filter((name) => sides[name] === side);
const PROMPT = countsOn('prompt');
const OUTPUT = countsOn('output');

function withinPrompt(stated: Usage, limits: UsageLimits): Usage {
  const usage = asHeard(stated, limits);
  return scaled(usage, PROMPT, limits.prompt / promptOf(usage));
}

const withinOutput = (usage: Usage, { output }: UsageLimits): Usage =>
  scaled(usage, OUTPUT, output / completionTokensOf(usage));

/** Sound beyond what can have been heard counts as text. */
function asHeard({ audioInputTokens: told = 0, ...usage }: Usage, { audio: most }: UsageLimits): Usage {
  const audio = Math.min(told, most);
  return { ...usage, inputTokens: usage.inputTokens + told - audio, ...(audio > 0 && { audioInputTokens: audio }) };
}

/** Of what is too much, each kind gives up its share. */
function scaled(usage: Usage, parts: readonly TokenCount[], share: number): Usage {
  if (!(share < 1)) return usage;
  const cut = { ...usage };
  for (const part of parts) {
    const tokens = usage[part];
    if (tokens !== undefined) cut[part] = Math.floor(tokens * share);
  }
  return cut;
}

/**
 * What is dearer is paid for only where the request asked for it: without that, writes to an hour's cache count as plain ones, and searches that
 * a channel puts in are its operator's.
 */
export function asAsked(usage: Usage, bound: Pick<RequestBound, 'prompt' | 'isSearched'>): Usage {
  const { hourCache = false, searches: held } = bound.prompt;
  if ((hourCache || usage.cacheWriteHourTokens === undefined) && (usage.searches ?? held) === undefined) return usage;
  const { cacheWriteHourTokens: hour, searches, ...plain } = usage;
  return {
    ...plain,
    ...(hourCache && hour !== undefined && { cacheWriteHourTokens: hour }),
    ...chargedSearches(searches, bound),
  };
}

/** All tokens of the prompt, each once, whatever the upstream's habit is of counting cached ones. */
const promptOf = (usage: Usage): number =>
  usage.inputTokens +
  usage.cacheReadTokens +
  usage.cacheWriteTokens +
  (usage.imageInputTokens ?? 0) +
  (usage.audioInputTokens ?? 0);
