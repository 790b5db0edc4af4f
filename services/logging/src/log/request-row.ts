import {
  type Attempt,
  completionTokensOf,
  type EventOf,
  promptTokensOf,
  type requestConsumed,
  type RequestConsumed,
} from '@tollgate/contracts';
import type { LogOther } from '@tollgate/contracts/api/log';
import { consumptionContent, isPerCall } from '@tollgate/pricing';
import { storable } from '../rowset.js';
import { LogType } from './log.entity.js';
import { contentOf, type LogDraft, type RequestColumns } from './log-row.js';

export type Consumption = EventOf<typeof requestConsumed>;
export type RequestDraft = LogDraft & { request: RequestColumns };

const NO_FIRST_TOKEN = -1000;

/** The moment the request ended. */
export const endedAt = ({ startedAt, durationMs }: RequestConsumed): number =>
  Math.floor((Date.parse(startedAt) + durationMs) / 1000);

/** A row of type 2, or of type 5 for a request that gave its client nothing; the latter never carries quota. */
export function toRequestDraft({ id, data }: Consumption): RequestDraft {
  const failed = data.outcome === 'failed';
  return {
    eventId: id,
    createdAt: endedAt(data),
    type: failed ? LogType.failed : LogType.consumption,
    userId: data.userId,
    content: contentOf(failed ? (data.error?.message ?? '') : consumptionContent(data)),
    request: {
      modelName: storable(data.model),
      quota: failed ? 0 : data.quota,
      promptTokens: promptTokensOf(data.usage),
      completionTokens: completionTokensOf(data.usage),
      useTime: Math.floor(data.durationMs / 1000),
      isStream: data.isStream,
      channelId: data.channelId,
      tokenId: data.tokenId,
      group: data.group,
      other: otherOf(id, data),
    },
  };
}

/** Enough to work the charge out again, and to say why it is what it is. */
export function otherOf(requestId: string, data: RequestConsumed): LogOther {
  const { price, usage, upstreamModel, reasoningEffort } = data;
  const perCall = isPerCall(price);
  return {
    model_ratio: perCall ? 0 : price.modelRatio,
    group_ratio: price.groupRatio,
    completion_ratio: perCall ? 0 : price.completionRatio,
    cache_tokens: usage.cacheReadTokens,
    cache_ratio: perCall ? 0 : price.cacheRatio,
    model_price: perCall ? price.modelPrice : -1,
    frt: data.isStream ? (data.firstTokenMs ?? NO_FIRST_TOKEN) : NO_FIRST_TOKEN,
    ...(upstreamModel !== undefined &&
      upstreamModel !== data.model && { is_model_mapped: true, upstream_model_name: upstreamModel }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    ...cacheWrites(data),
    ...audio(data),
    ...images(data),
    request_id: requestId,
    price_version: data.priceVersion,
    usage_source: data.usageSource,
    outcome: data.outcome,
    ...failure(data),
    admin_info: { use_channel: data.attempts.map(({ channelId }) => String(channelId)), ...trail(data.attempts) },
  };
}

function cacheWrites({ usage, price }: RequestConsumed): LogOther {
  const isAnthropic = usage.semantics === 'anthropic';
  if (!isAnthropic && usage.cacheWriteTokens === 0) return {};
  return {
    ...(isAnthropic && { claude: true }),
    cache_creation_tokens: usage.cacheWriteTokens,
    cache_creation_ratio: isPerCall(price) ? 0 : price.cacheCreationRatio,
  };
}

function audio({ usage, price, endpoint }: RequestConsumed): LogOther {
  const { audioInputTokens = 0, audioOutputTokens = 0 } = usage;
  if (audioInputTokens + audioOutputTokens === 0) return {};
  return {
    ...(endpoint === 'realtime' ? { ws: true } : { audio: true }),
    audio_input: audioInputTokens,
    audio_output: audioOutputTokens,
    text_input: usage.inputTokens,
    text_output: usage.outputTokens,
    ...audioRatios(price),
  };
}

/** A model without audio prices pays for sound as for text, and the row says so: its product is the completion ratio. */
function audioRatios(price: RequestConsumed['price']): LogOther {
  if (isPerCall(price)) return { audio_ratio: 0, audio_completion_ratio: 0 };
  const { audioRatio, audioCompletionRatio = 1, completionRatio } = price;
  return audioRatio === undefined
    ? { audio_ratio: 1, audio_completion_ratio: completionRatio }
    : { audio_ratio: audioRatio, audio_completion_ratio: audioCompletionRatio };
}

/** The reference calls the number of image tokens of the prompt `image_output`. */
function images({ usage: { imageInputTokens = 0 }, price }: RequestConsumed): LogOther {
  return imageInputTokens === 0
    ? {}
    : { image: true, image_ratio: price.imageRatio ?? 1, image_output: imageInputTokens };
}

function failure({ error }: RequestConsumed): LogOther {
  if (!error) return {};
  return {
    ...(error.type !== undefined && { error_type: error.type }),
    error_code: error.code,
    status_code: error.status,
  };
}

/** Only where something went wrong: a plain success is told by `use_channel`. */
function trail(attempts: readonly Attempt[]): Pick<NonNullable<LogOther['admin_info']>, 'attempts'> {
  if (attempts.every((attempt) => attempt.class === 'ok')) return {};
  return {
    attempts: attempts.map((attempt) => ({
      channel_id: attempt.channelId,
      class: attempt.class,
      status: attempt.status,
      ...(attempt.errorCode !== undefined && { error_code: attempt.errorCode }),
      ...(attempt.message !== undefined && { message: attempt.message }),
      duration_ms: attempt.durationMs,
    })),
  };
}
