import type { TokenCount, Usage } from '@tollgate/contracts';
import { completionTokensOf, wholePromptOf } from '@tollgate/contracts';
import { UNKNOWN_MODEL } from '@tollgate/pricing';
import { areCounts } from '@tollgate/providers';
import { LARGEST_WINDOW } from './context-window.js';
import type { RequestBound } from './bound.js';
import { chargedSearches } from './searches.js';

// An upstream states how many tokens a call took, and may state anything. Here it is decided how much of that is
// believed, and with it charged; see docs/adr/0044.

/** The most tokens that an upstream can really have used for a request. */
export interface UsageLimits {
  /** All tokens of the prompt, those of sound included. */
  prompt: number;
  /** Tokens of sound. Videos may contain sound, text cannot. */
  audio: number;
  output: number;
}

/** What was sent to an upstream beyond the client's request, and what came back. */
interface SentAndReceived {
  /** Bytes that the channel's settings added to the client's request. */
  addedBytes: number;
  /** Bytes received from the upstream. */
  receivedBytes: number;
  /** The limit for the tokens of one answer that the relay gave the upstream, if any. */
  outputLimit?: number | undefined;
  /** Sound has a price of its own. The upstream may then count its own words before the prompt as sound. */
  pricesSound?: boolean;
}

/**
 * Tokens that a chat template, a provider's rules for tools and its own system prompt may add, cached or not. Claude's
 * rules take some 600 tokens; resellers put whole system prompts before the client's.
 */
export const TEMPLATE_TOKENS = 4096;

/**
 * The limits for a plausible usage. No tokenizer makes more tokens of a text than it has bytes. Therefore:
 * - the prompt has at most as many tokens as bytes were sent, plus those of its media. Content that was not sent from
 *   here, because it is stored at the upstream, given by URL or the upstream's own, may fill a whole context window;
 * - the output has at most as many tokens as bytes were received, plus reasoning that the client does not get to see,
 *   which is bounded by the client's limit, or else the model's.
 */
export function usageLimits(
  bound: RequestBound,
  { addedBytes, receivedBytes, outputLimit, pricesSound = false }: SentAndReceived,
): UsageLimits {
  const { prompt, maximum, soundTokens = 0, searchTokens = 0, ownContext = 0, remote } = bound;
  const sound = Math.max(prompt.audioTokens, soundTokens);
  const remoteTokens = remote?.tokens ?? 0;
  const sentFromHere = prompt.textTokens + prompt.imageTokens + sound + addedBytes;
  const remoteSound = remote?.isHeard ? remoteTokens : 0;
  const hidden = hiddenOutput(bound, outputLimit);
  return {
    prompt: sentFromHere + searchTokens + remoteTokens + ownContext + TEMPLATE_TOKENS,
    audio: sound + prompt.imageTokens + remoteSound + addedBytes + (pricesSound ? TEMPLATE_TOKENS : 0),
    // An embedding has no output, and pictures have more bytes than tokens.
    output: maximum === 0 || prompt.pictures ? hidden : receivedBytes + hidden,
  };
}

/**
 * Output tokens that may not be in the reply: reasoning, and predictions that were wrong. An agent ignores limits,
 * because it calls its models as it was configured.
 */
function hiddenOutput(
  { choices, limit, maximum, predicted, ownContext }: RequestBound,
  outputLimit = Infinity,
): number {
  const most = ownContext === undefined ? Math.min(limit || maximum, outputLimit) : maximum;
  return choices * most + predicted;
}

/**
 * How many times an agent may call its models for one answer, or a model may read what its searches found. A usage of
 * more calls than that is not believed at all.
 */
const MOST_CALLS = 10;

/** A stated usage as far as it is believed. */
interface Believed {
  usage: Usage;
  /** More was stated than is plausible; `usage` is the most that is. */
  isCut: boolean;
}

/**
 * The usage to charge. A plausible one is charged as stated. One beyond the limits is cut to them: an upstream that puts
 * much before the prompt, or exceeds the output limit that it was given, charges the operator for that, and the client
 * pays for as much of it as the hold and the bytes allow. Numbers that not even `MOST_CALLS` calls of a model could have
 * used are ignored: `undefined`.
 */
export function believedOf(usage: Usage, limits: UsageLimits): Believed | undefined {
  if (isPlausible(usage, limits)) return { usage, isCut: false };
  const mostPrompt = limits.prompt + MOST_CALLS * LARGEST_WINDOW;
  const mostOutput = limits.output + MOST_CALLS * UNKNOWN_MODEL.outputTokens;
  const isPossible = areCounts(usage) && wholePromptOf(usage) <= mostPrompt && completionTokensOf(usage) <= mostOutput;
  if (!isPossible) return undefined;
  return { usage: withinOutput(withinPrompt(usage, limits), limits), isCut: true };
}

/** Whether every number of a usage is a valid count, and neither prompt, sound nor output exceeds its limit. */
export function isPlausible(usage: Usage, limits: UsageLimits): boolean {
  if (!areCounts(usage) || (usage.audioInputTokens ?? 0) > limits.audio) return false;
  return wholePromptOf(usage) <= limits.prompt && completionTokensOf(usage) <= limits.output;
}

/** Which limit each count falls under, and is reduced to. */
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
  return scaled(usage, PROMPT, limits.prompt / wholePromptOf(usage));
}

const withinOutput = (usage: Usage, { output }: UsageLimits): Usage =>
  scaled(usage, OUTPUT, output / completionTokensOf(usage));

/** Sound beyond the plausible amount is counted as text. */
function withinSound({ audioInputTokens: stated = 0, ...usage }: Usage, { audio: most }: UsageLimits): Usage {
  const audio = Math.min(stated, most);
  return { ...usage, inputTokens: usage.inputTokens + stated - audio, ...(audio > 0 && { audioInputTokens: audio }) };
}

/** Reduces these counts in proportion, so that cached tokens stay as cheap as they are; a `share` of 1 or more changes nothing. */
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
