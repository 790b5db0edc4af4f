import {
  type AppliedPrice,
  type Attempt,
  completionTokensOf,
  type EventOf,
  type PriceDocument,
  promptTokensOf,
  type requestConsumed,
  type RequestConsumed,
  type Searches,
  type Usage,
  LogType,
} from '@tollgate/contracts';
import type { LogOther } from '@tollgate/contracts/api/log';
import { storableText } from '@tollgate/chassis';
import {
  consumptionContent,
  freeOf,
  statesSoundRatios,
  HOUR_CACHE_FACTOR,
  isPerCall,
  pricedName,
  priceFor,
  soundRatios,
} from '@tollgate/pricing';
import { contentOf, type LogDraft, type RequestColumns } from './log-row.js';

export type Consumption = EventOf<typeof requestConsumed>;
export type RequestDraft = LogDraft & { request: RequestColumns };

const NO_FIRST_TOKEN = -1000;

/** When the request ended, in Unix seconds. */
const endedAt = ({ startedAt, durationMs }: RequestConsumed): number =>
  Math.floor((Date.parse(startedAt) + durationMs) / 1000);

/**
 * A row of type 2, or of type 5 with quota 0 for a request that gave its client nothing. Without its price document the
 * row has no ratios.
 */
export function toRequestDraft({ id, data }: Consumption, prices: PriceDocument | undefined): RequestDraft {
  const failed = data.outcome === 'failed';
  const wanted = { acceptUnset: true, userGroup: data.userGroup, isRealtime: data.endpoint === 'realtime' };
  const full = prices && priceFor(data.model, data.group, prices, wanted);
  const price = full && data.repeats !== undefined ? freeOf(full) : full;
  return {
    eventId: id,
    createdAt: endedAt(data),
    type: failed ? LogType.error : LogType.consume,
    userId: data.userId,
    content: contentOf(failed ? (data.error?.message ?? '') : price ? consumptionContent({ ...data, price }) : ''),
    request: {
      modelName: storableText(pricedName(data.model)),
      quota: failed ? 0 : data.quota,
      // The single unit that a task reports is not a token.
      promptTokens: data.task ? 0 : promptTokensOf(data.usage),
      completionTokens: completionTokensOf(data.usage),
      useTime: Math.floor(data.durationMs / 1000),
      isStream: data.isStream,
      channelId: data.channelId,
      tokenId: data.tokenId,
      group: data.group,
      other: otherOf(id, data, price),
    },
  };
}

/** Everything that is needed to compute the charge again and to explain it. */
export function otherOf(requestId: string, data: RequestConsumed, price: AppliedPrice | undefined): LogOther {
  const { usage, reasoningEffort, usageDoubt, abortPolicy } = data;
  return {
    ...(data.endpoint === 'task' ? price && taskPrice(price) : tokenFacts(data, price)),
    ...sentName(data),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    ...cacheWrites(usage, price),
    ...audio(data, price),
    ...images(usage, price),
    ...searches(usage, price),
    request_id: requestId,
    price_version: data.priceVersion,
    ...(data.repeats !== undefined && { repeats: data.repeats }),
    ...(data.held !== undefined && { held: data.held }),
    ...(usage.pictures && { pictures: usage.pictures }),
    usage_source: data.usageSource,
    ...(usageDoubt !== undefined && { usage_doubt: usageDoubt }),
    outcome: data.outcome,
    ...(abortPolicy !== undefined && { abort_policy: abortPolicy }),
    ...failure(data),
    admin_info: {
      use_channel: data.attempts.map(({ channelId }) => String(channelId)),
      ...(data.isChannelNamed && { named_channel: true }),
      ...trail(data.attempts),
    },
  };
}

/** Drawings and songs have no tokens and no stream. */
const taskPrice = ({ modelPrice, groupRatio, userGroupRatio = -1 }: AppliedPrice): LogOther => ({
  model_price: modelPrice,
  group_ratio: groupRatio,
  user_group_ratio: userGroupRatio,
});

const tokenFacts = (data: RequestConsumed, price: AppliedPrice | undefined): LogOther => ({
  ...(price && ratios(price)),
  cache_tokens: data.usage.cacheReadTokens,
  frt: data.isStream ? (data.firstTokenMs ?? NO_FIRST_TOKEN) : NO_FIRST_TOKEN,
});

/** Custom GPTs have the name of their family in the row, but are sent upstream by their own name. */
function sentName({ model, upstreamModel = model }: RequestConsumed): LogOther {
  if (upstreamModel === pricedName(model)) return {};
  return { ...(upstreamModel !== model && { is_model_mapped: true }), upstream_model_name: upstreamModel };
}

/** The ratios of a price, named as in the details of a log row. */
export function ratios(price: AppliedPrice): LogOther {
  const { groupRatio, userGroupRatio = -1 } = price;
  if (isPerCall(price))
    return {
      model_ratio: 0,
      group_ratio: groupRatio,
      user_group_ratio: userGroupRatio,
      completion_ratio: 0,
      cache_ratio: 0,
      model_price: price.modelPrice,
    };
  return {
    model_ratio: price.modelRatio,
    group_ratio: groupRatio,
    user_group_ratio: userGroupRatio,
    completion_ratio: price.completionRatio,
    cache_ratio: price.cacheRatio,
    model_price: -1,
  };
}

function cacheWrites(usage: Usage, price: AppliedPrice | undefined): LogOther {
  const isAnthropic = usage.semantics === 'anthropic';
  if (!isAnthropic && usage.cacheWriteTokens === 0) return {};
  return {
    ...(isAnthropic && { claude: true }),
    cache_creation_tokens: usage.cacheWriteTokens,
    ...(price && { cache_creation_ratio: creationRatio(price) }),
    ...hourWrites(usage, price),
  };
}

const creationRatio = (price: AppliedPrice): number => (isPerCall(price) ? 0 : price.cacheCreationRatio);

/** Cache writes by lifetime, when the lifetime makes a difference to the price. */
function hourWrites({ cacheWriteTokens, cacheWriteHourTokens = 0 }: Usage, price: AppliedPrice | undefined): LogOther {
  if (cacheWriteHourTokens === 0) return {};
  return {
    cache_creation_tokens_5m: cacheWriteTokens - cacheWriteHourTokens,
    cache_creation_tokens_1h: cacheWriteHourTokens,
    ...(price && {
      cache_creation_ratio_5m: creationRatio(price),
      cache_creation_ratio_1h: creationRatio(price) * HOUR_CACHE_FACTOR,
    }),
  };
}

function audio({ usage, endpoint }: RequestConsumed, price: AppliedPrice | undefined): LogOther {
  const { audioInputTokens = 0, audioOutputTokens = 0 } = usage;
  if (!statesSoundRatios({ usage, endpoint })) return {};
  return {
    ...(endpoint === 'realtime' ? { ws: true } : { audio: true }),
    audio_input: audioInputTokens,
    audio_output: audioOutputTokens,
    text_input: usage.inputTokens,
    text_output: usage.outputTokens,
    ...(price && audioRatios(price)),
  };
}

function audioRatios(price: AppliedPrice): LogOther {
  const { input, output } = soundRatios(price);
  return { audio_ratio: input, audio_completion_ratio: output };
}

/** In the reference, `image_output` is the number of image tokens of the prompt. */
function images({ imageInputTokens = 0 }: Usage, price: AppliedPrice | undefined): LogOther {
  if (imageInputTokens === 0) return {};
  return { image: true, ...(price && { image_ratio: price.imageRatio ?? 1 }), image_output: imageInputTokens };
}

function searches({ searches: made = {} }: Usage, price: AppliedPrice | undefined): LogOther {
  const { file = 0 } = made;
  return {
    ...webSearches(made, price),
    ...(file > 0 && {
      file_search: true,
      file_search_call_count: file,
      ...(price?.fileSearch !== undefined && { file_search_price: price.fileSearch }),
    }),
  };
}

/** Either Google's searches or others: no upstream makes both. */
function webSearches({ web = 0, webContext, google = 0 }: Searches, price: AppliedPrice | undefined): LogOther {
  if (web + google === 0) return {};
  const { webSearch, googleSearch } = price ?? {};
  const unit = google > 0 ? googleSearch : webSearch?.[webContext ?? 'medium'];
  return {
    web_search: true,
    web_search_call_count: google || web,
    ...(google > 0 && { google_search: true }),
    ...(webContext && { web_search_context_size: webContext }),
    ...(unit !== undefined && { web_search_price: unit }),
  };
}

function failure({ error }: RequestConsumed): LogOther {
  if (!error) return {};
  return {
    ...(error.type !== undefined && { error_type: error.type }),
    error_code: error.code,
    status_code: error.status,
  };
}

/** Only when an attempt failed; otherwise `use_channel` says everything. */
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
