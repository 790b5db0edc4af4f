import type { Pictures, Usage } from '@tollgate/contracts';
import type { Env } from '@tollgate/chassis';
import { rate } from '@tollgate/pricing';
import type { ReplyText } from '@tollgate/providers';
import type { Try } from '../upstream/try.js';
import { usageByNumber } from '../usage/fixed-usage.js';
import { mediaTokens } from '../usage/media-tokens.js';
import type { PictureRules } from '../usage/picture-tokens.js';
import { pictureTokens } from '../usage/pictures.js';
import { boundsOf } from '../usage/request-bound.js';
import { chargedSearches } from '../usage/searches.js';
import type { Answer, Counted } from './counted.js';

/** Tokens of a tool call beside its name and arguments. */
const TOOL_CALL_TOKENS = 7;
/** Tokens of a picture in an answer of Gemini. */
const PICTURE_TOKENS = 258;
/** Tokens of a picture that is to be edited. */
const SOURCE_TOKENS = 400;

/** Output tokens in addition to the text that was kept: dropped text, tool calls and pictures. */
export const besideText = ({ droppedBytes, toolCalls, pictures = 0 }: ReplyText): number =>
  Math.ceil(droppedBytes / 3) + TOOL_CALL_TOKENS * toolCalls + PICTURE_TOKENS * pictures;

/** Searches to charge, as far as the answer shows them. */
export const searchesIn = ({ searches }: ReplyText, { granted: { bound } }: Try): Pick<Usage, 'searches'> =>
  chargedSearches(searches, bound);

/**
 * Pictures are charged by their number where no tokens are stated. Of a stream that broke off, the tokens stated so far
 * count, or else what its pictures usually cost in tokens if that is more: previews show nearly the whole picture, and
 * the upstream would have stated its tokens at the end.
 */
export function countedPictures(
  { granted: { terms } }: Try,
  { isCut = false }: Pick<Answer, 'isCut'>,
  { pictures, soFar }: { pictures: Pictures; soFar: Usage | undefined },
): Counted {
  if (soFar) return { usage: soFar, usageSource: 'estimated' };
  const byNumber = usageByNumber(pictures);
  const byTokens = { ...byNumber, outputTokens: pictureTokens(pictures), pictures: { ...pictures, byTokens: true } };
  const isMore = isCut && rate(byTokens, terms.price) > rate(byNumber, terms.price);
  return isMore ? { usage: byTokens, usageSource: 'estimated' } : { usage: byNumber, usageSource: 'requested' };
}

/** The stated output tokens, or our own count if that is higher: the output may include hidden reasoning. */
export const atLeast = (known: Usage, outputTokens: number): Usage => ({
  ...known,
  outputTokens: Math.max(outputTokens - (known.audioOutputTokens ?? 0), known.outputTokens),
});

/**
 * Caps our own count of an answer whose upstream states none. An upstream that was given an output limit, because the
 * wallet pays for no more, is assumed to have respected it: tokenizers differ, and no client is charged more than the
 * hold for that. The stream of an upstream that exceeds its limit is ended.
 */
export function withinOutputLimit(
  counted: Counted,
  {
    granted: { outputLimit, bound },
  }: { granted: Pick<Try['granted'], 'outputLimit'> & { bound: { choices: number } } },
): Counted {
  if (outputLimit === undefined) return counted;
  const { usage } = counted;
  return { ...counted, usage: { ...usage, outputTokens: Math.min(usage.outputTokens, outputLimit * bound.choices) } };
}

/**
 * Channel types of Anthropic, Gemini and Vertex AI, which do not divide pictures into tiles; a flat price of three
 * tiles is used there.
 */
const WITHOUT_TILES = new Set([14, 24, 41]);
/** Tokens of a picture for a call that is no stream, where the operator disabled looking at its size. */
const FLAT = 255;

const pictureRulesOf = ({ call, target }: Try, env: Env): PictureRules => ({
  model: target.model,
  looks: env.GET_MEDIA_TOKEN && !WITHOUT_TILES.has(target.channelType),
  ...(!env.GET_MEDIA_TOKEN_NOT_STREAM && !call.isStream && { flat: FLAT }),
});

/** Tokens of the pictures and the sound in a prompt, and its searches. */
export function mediaUsage(current: Try, env: Env): Partial<Usage> {
  const { json, endpoint, form } = current.call;
  const { granted } = current;
  const sources = (form?.files?.length ?? 0) * SOURCE_TOKENS;
  const readsPictureTexts = current.request.pictureTexts === 'pictures';
  const { image, audio } = mediaTokens(boundsOf(json, endpoint), pictureRulesOf(current, env), readsPictureTexts);
  return {
    imageInputTokens: image + sources || undefined,
    audioInputTokens: audio || undefined,
    // Searches run before any output, so they are charged with the prompt.
    ...chargedSearches(undefined, granted.bound),
  };
}
