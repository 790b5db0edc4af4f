import type { LogOther } from '@tollgate/contracts/api/log';
import type { AppliedPrice, Usage } from '@tollgate/contracts/events/request-consumed';
import { rate } from '@tollgate/pricing';
import type { LogRow } from './log.api.js';

/** One kind of token: how many, at what ratio to the plain prompt price. */
export interface PriceTerm {
  item: 'input' | 'cache-read' | 'cache-write' | 'image-input' | 'audio-input' | 'output' | 'audio-output';
  units: number;
  ratio: number;
  /** USD per million tokens, before the group's ratio. */
  price: number;
}

export interface Priced {
  groupRatio: number;
  /** What the formula gives, in units; the row itself says what was charged. */
  quota: number;
}
export interface PricedByRatio extends Priced {
  mode: 'ratio';
  modelRatio: number;
  terms: PriceTerm[];
}
export interface PricedPerCall extends Priced {
  mode: 'call';
  /** USD. */
  modelPrice: number;
}

const MILLION = 1_000_000;

/** Some servers keep a special ratio of the user's group, which then replaces the group's. */
const groupRatioOf = ({ group_ratio: group = 1, user_group_ratio: special = -1 }: LogOther): number =>
  special >= 0 ? special : group;

function priceOf(other: LogOther, quotaPerUnit: number): AppliedPrice {
  return {
    modelRatio: other.model_ratio ?? 0,
    completionRatio: other.completion_ratio ?? 1,
    groupRatio: groupRatioOf(other),
    cacheRatio: other.cache_ratio ?? 1,
    cacheCreationRatio: other.cache_creation_ratio ?? 1,
    modelPrice: other.model_price ?? -1,
    quotaPerUnit,
    ...(other.image && { imageRatio: other.image_ratio ?? 1 }),
    ...(hasAudio(other) && {
      audioRatio: other.audio_ratio ?? 1,
      audioCompletionRatio: other.audio_completion_ratio ?? 1,
    }),
  };
}

export const hasAudio = ({ audio = false, ws = false }: LogOther): boolean => audio || ws;

/** The prompt count of the row includes cached tokens and media, except that Claude's leaves cached ones out. */
function usageOf(row: LogRow, other: LogOther): Usage {
  const {
    claude = false,
    cache_tokens: cached = 0,
    cache_creation_tokens: written = 0,
    image_output: images = 0,
    audio_input: audioIn = 0,
    audio_output: audioOut = 0,
  } = other;
  const plain = row.prompt_tokens - images - audioIn - (claude ? 0 : cached + written);
  return {
    semantics: claude ? 'anthropic' : 'openai',
    inputTokens: Math.max(0, hasAudio(other) ? (other.text_input ?? plain) : plain),
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    outputTokens: Math.max(0, row.completion_tokens - audioOut),
    imageInputTokens: images,
    audioInputTokens: audioIn,
    audioOutputTokens: audioOut,
  };
}

/** The price of a request as its row tells it, worked out again by the arithmetic that charged it; undefined: the row tells none. */
export function priceOfRow(row: LogRow, quotaPerUnit: number): PricedByRatio | PricedPerCall | undefined {
  const { other } = row;
  if (other?.group_ratio === undefined || (other.model_ratio === undefined && other.model_price === undefined)) {
    return undefined;
  }
  const price = priceOf(other, quotaPerUnit);
  const { quota, lines } = rate(usageOf(row, other), price);
  const { groupRatio, modelRatio, modelPrice } = price;
  if (modelPrice >= 0) return { mode: 'call', groupRatio, modelPrice, quota };
  const base = (modelRatio * MILLION) / quotaPerUnit;
  const terms = lines.flatMap(({ item, units, ratio }) =>
    item === 'call' ? [] : [{ item, units, ratio, price: base * ratio }],
  );
  return { mode: 'ratio', groupRatio, modelRatio, terms, quota };
}
