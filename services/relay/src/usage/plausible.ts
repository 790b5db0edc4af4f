import type { TokenCount, Usage } from '@tollgate/contracts';
import { completionTokensOf } from '@tollgate/contracts';
import { UNKNOWN_MODEL } from '@tollgate/pricing';
import { LARGEST_WINDOW } from './context-window.js';
import type { RequestBound } from './request-bound.js';
import { chargedSearches } from './searches.js';

/** The most that an upstream can really have used for a request, in tokens. */
export interface UsageLimits {
  prompt: number;
  /** The part of the prompt that may be sound: videos may contain some, text cannot. */
  audio: number;
  output: number;
}

export interface Exchanged {
  /** Bytes that the channel's settings added to the client's request. */
  addedBytes: number;
  /** Bytes received from the upstream. */
  receivedBytes: number;
  /** The limit for the tokens of one answer that the relay gave the upstream, if any. */
  outputLimit?: number | undefined;
  /** Sound has a price of its own, so the upstream's own words before the prompt may be counted as sound. */
  pricesSound?: boolean;
}

/**
 * Tokens that a chat template, a provider's rules for tools and its own system prompt may add, cached or not. Claude's
 * rules take some 600 tokens; resellers put whole system prompts before the client's.
 */
export const TEMPLATE_TOKENS = 4096;

/**
 * The limits for a plausible usage. No tokenizer makes more tokens of a text than it has bytes, so the prompt is
 * bounded by the bytes sent and its media, and the output by the bytes received. Reasoning may be hidden, so the
 * client's limit, or else the model's, is allowed in addition. Content that is stored at the upstream, given by URL, or
 * the upstream's own was not sent from here; a whole context window of the model is allowed for it.
 */
export function usageLimits(bound: RequestBound, { addedBytes, receivedBytes, ...sent }: Exchanged): UsageLimits {
  const { prompt, maximum, stated = 0, searched = 0, ownContext = 0, remote } = bound;
  const audio = Math.max(prompt.audioTokens, stated);
  const unseen = remote?.tokens ?? 0;
  const hidden = hiddenOutput(bound, sent.outputLimit);
  return {
    prompt:
      prompt.textTokens + prompt.imageTokens + audio + searched + unseen + ownContext + addedBytes + TEMPLATE_TOKENS,
    audio:
      audio +
      prompt.imageTokens +
      (remote?.isHeard ? unseen : 0) +
      addedBytes +
      (sent.pricesSound ? TEMPLATE_TOKENS : 0),
    // An embedding has no output, and pictures have more bytes than tokens.
    output: maximum === 0 || prompt.pictures ? hidden : receivedBytes + hidden,
  };
}

/** The output that may be hidden. An agent ignores limits, since it calls its models as it was configured. */
function hiddenOutput(
  { choices, limit, maximum, predicted, ownContext }: RequestBound,
  outputLimit = Infinity,
): number {
  const most = ownContext === undefined ? Math.min(limit || maximum, outputLimit) : maximum;
  return choices * most + predicted;
}

/** How many times an agent may call its models for one answer, or a model read what its searches found. */
const MOST_CALLS = 10;

/** The part of a stated usage that is charged. */
export interface Believed {
  usage: Usage;
  /** More was stated than is plausible; `usage` is the most that is. */
  isCut: boolean;
}

/**
 * The usage to charge: as stated, or cut to the most that is plausible. An upstream that puts much before the prompt,
 * or exceeds the limit that it was given, charges the operator for that, and the client pays as much of it as the hold
 * and the bytes allow. `undefined` for numbers that not even several calls of a model could have used; those are
 * ignored.
 */
export function believedOf(usage: Usage, limits: UsageLimits): Believed | undefined {
  if (isPlausible(usage, limits)) return { usage, isCut: false };
  const isCount = areCounts(usage) && promptOf(usage) <= limits.prompt + MOST_CALLS * LARGEST_WINDOW;
  if (!isCount || completionTokensOf(usage) > limits.output + MOST_CALLS * UNKNOWN_MODEL.outputTokens) return undefined;
  return { usage: withinOutput(withinPrompt(usage, limits), limits), isCut: true };
}

/** Whether every number of a usage is valid, and none exceeds the limits. */
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
  const usage = withinSound(stated, limits);
  return scaled(usage, PROMPT, limits.prompt / promptOf(usage));
}

const withinOutput = (usage: Usage, { output }: UsageLimits): Usage =>
  scaled(usage, OUTPUT, output / completionTokensOf(usage));

/** Sound beyond the plausible amount is counted as text. */
function withinSound({ audioInputTokens: stated = 0, ...usage }: Usage, { audio: most }: UsageLimits): Usage {
  const audio = Math.min(stated, most);
  return { ...usage, inputTokens: usage.inputTokens + stated - audio, ...(audio > 0 && { audioInputTokens: audio }) };
}

/** Reduces all kinds in proportion. */
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
 * Features that cost more are charged only where the client requested them: otherwise writes to a one-hour cache count
 * as ordinary writes, and searches that a channel adds are paid by its operator.
 */
export function asRequested(usage: Usage, bound: Pick<RequestBound, 'prompt' | 'isSearched'>): Usage {
  const { hourCache = false, searches: held } = bound.prompt;
  if ((hourCache || usage.cacheWriteHourTokens === undefined) && (usage.searches ?? held) === undefined) return usage;
  const { cacheWriteHourTokens: hour, searches, ...plain } = usage;
  return {
    ...plain,
    ...(hourCache && hour !== undefined && { cacheWriteHourTokens: hour }),
    ...chargedSearches(searches, bound),
  };
}

/** All tokens of the prompt, each counted once. */
const promptOf = (usage: Usage): number =>
  usage.inputTokens +
  usage.cacheReadTokens +
  usage.cacheWriteTokens +
  (usage.imageInputTokens ?? 0) +
  (usage.audioInputTokens ?? 0);
