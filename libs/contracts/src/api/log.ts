import { z } from 'zod';
import { lenientInteger, type Page, pageFromOneSchema } from '../envelope.js';
import {
  abortPolicySchema,
  consumptionOutcomeSchema,
  picturesSchema,
  usageDoubtSchema,
  usageSourceSchema,
} from '../events/request-consumed.js';
import { integerFilter } from './fields.js';

/** The JSON inside `log.other`; ratios are 0 if a fixed price per call applies. */
export const logOtherSchema = z.looseObject({
  model_ratio: z.number().optional(),
  group_ratio: z.number().optional(),
  /** Special ratio of the user's own group in the request's group, in which case it equals `group_ratio`; −1 if there is none. */
  user_group_ratio: z.number().optional(),
  completion_ratio: z.number().optional(),
  cache_tokens: z.number().optional(),
  cache_ratio: z.number().optional(),
  cache_creation_tokens: z.number().optional(),
  cache_creation_ratio: z.number().optional(),
  /** Cache writes by lifetime; only present if some are cached for an hour. */
  cache_creation_tokens_5m: z.number().optional(),
  cache_creation_ratio_5m: z.number().optional(),
  cache_creation_tokens_1h: z.number().optional(),
  cache_creation_ratio_1h: z.number().optional(),
  /** USD per call; −1 if priced by ratio. */
  model_price: z.number().optional(),
  /** Milliseconds to the first byte of a stream; −1000 if there was none. */
  frt: z.number().optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  reasoning_effort: z.string().optional(),
  /** True if the prompt count excludes cached tokens. */
  claude: z.boolean().optional(),
  ws: z.boolean().optional(),
  audio: z.boolean().optional(),
  audio_input: z.number().optional(),
  audio_output: z.number().optional(),
  text_input: z.number().optional(),
  text_output: z.number().optional(),
  audio_ratio: z.number().optional(),
  audio_completion_ratio: z.number().optional(),
  image: z.boolean().optional(),
  image_ratio: z.number().optional(),
  image_output: z.number().optional(),
  /** Prices are in USD per thousand calls. */
  web_search: z.boolean().optional(),
  web_search_call_count: z.number().optional(),
  web_search_context_size: z.enum(['low', 'medium', 'high']).optional(),
  web_search_price: z.number().optional(),
  /** The searches were made by Google's own tool. */
  google_search: z.boolean().optional(),
  file_search: z.boolean().optional(),
  file_search_call_count: z.number().optional(),
  file_search_price: z.number().optional(),
  /** Visible to administrators only. */
  admin_info: z
    .object({
      /** Ids of the tried channels in order. */
      use_channel: z.array(z.string()),
      /** Additive: the key named the channel. */
      named_channel: z.literal(true).optional(),
      /** Additive: one entry per upstream attempt, for requests with a failed attempt. */
      attempts: z
        .array(
          z.object({
            channel_id: z.number(),
            class: z.string(),
            status: z.number(),
            error_code: z.string().optional(),
            message: z.string().optional(),
            duration_ms: z.number(),
          }),
        )
        .optional(),
    })
    .optional(),

  /** All members from here on are additive. */
  request_id: z.string().optional(),
  price_version: z.string().optional(),
  /** The request that this one made up for after its relay died. This one is free. */
  repeats: z.string().optional(),
  /** Units that were held. */
  held: z.int().optional(),
  /** Pictures made, as charged. */
  pictures: picturesSchema.optional(),
  usage_source: usageSourceSchema.optional(),
  usage_doubt: usageDoubtSchema.optional(),
  outcome: consumptionOutcomeSchema.optional(),
  abort_policy: abortPolicySchema.optional(),
  error_type: z.string().optional(),
  error_code: z.string().optional(),
  status_code: z.number().optional(),
  /** A test of a channel, which nobody is charged for. */
  channel_test: z.literal(true).optional(),
});
export type LogOther = z.infer<typeof logOtherSchema>;

export const logSchema = z.object({
  /** For everyone but administrators a number without order, by which nobody can count other users' rows. */
  id: z.int(),
  user_id: z.int(),
  created_at: z.int(),
  /** 1 top-up, 2 consumption, 3 admin, 4 system, 5 failed request. */
  type: z.int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** In whole seconds. */
  use_time: z.int(),
  is_stream: z.boolean(),
  /** 0 and an empty name for everyone but administrators. */
  channel: z.int(),
  channel_name: z.string(),
  token_id: z.int(),
  group: z.string(),
  /** JSON text of `logOtherSchema`; may be empty. */
  other: z.string(),
});
export type Log = z.infer<typeof logSchema>;

/** A page of the log. `total_is_estimate` is additive: the exact number is not known, and may be larger. */
export interface LogPage extends Page<Log> {
  total_is_estimate?: true;
}

/** `quota` applies all filters; `rpm` and `tpm` ignore the time filter and cover the last 60 seconds. */
export const logStatSchema = z.object({ quota: z.int(), rpm: z.int(), tpm: z.int() });
export type LogStat = z.infer<typeof logStatSchema>;

/** NUL is refused, because no stored text contains one and PostgreSQL refuses to compare with it. */
const text = z
  .string()
  .refine((value) => !value.includes('\0'))
  .default('');

/**
 * Filters shared by lists and totals; 0 and '' mean no filter. `request_id` is additive. Users' own calls ignore `username` and `channel`.
 */
export const logFilterSchema = z.object({
  type: integerFilter,
  username: text,
  token_name: text,
  model_name: text,
  start_timestamp: integerFilter,
  end_timestamp: integerFilter,
  channel: integerFilter,
  group: text,
  request_id: text,
});
export type LogFilter = z.output<typeof logFilterSchema>;

export const logListQuerySchema = logFilterSchema.and(pageFromOneSchema);
export type LogListQuery = z.output<typeof logListQuerySchema>;

export const logSearchQuerySchema = z.object({ keyword: text });
export type LogSearchQuery = z.output<typeof logSearchQuerySchema>;

/** Unix seconds; all rows before this time are deleted, and 0 is refused as missing. The reply's `data` is the number of rows. */
export const deleteLogsQuerySchema = z.object({ target_timestamp: lenientInteger(0) });
export type DeleteLogsQuery = z.output<typeof deleteLogsQuerySchema>;

/** `key` may have the prefix `sk-`; without `key` the `Authorization` header is used. */
export const tokenLogQuerySchema = z.object({ key: text });
export type TokenLogQuery = z.output<typeof tokenLogQuerySchema>;

/** One hour of one model (and user): a data point of the dashboard. */
export const quotaDataSchema = z.object({
  id: z.int(),
  user_id: z.int(),
  username: z.string(),
  model_name: z.string(),
  /** Start of the hour, Unix seconds. */
  created_at: z.int(),
  token_used: z.int(),
  count: z.int(),
  quota: z.int(),
});
export type QuotaData = z.infer<typeof quotaDataSchema>;

/**
 * Both bounds are inclusive, and the start is rounded down to the hour; 0 stands for the last 31 days until now. One's own data for more
 * than 31 days is refused, also if only the end is given. `default_time` is sent by the console and has no effect.
 */
export const quotaDataQuerySchema = z.object({
  username: text,
  start_timestamp: integerFilter,
  end_timestamp: integerFilter,
  default_time: text,
});
export type QuotaDataQuery = z.output<typeof quotaDataQuerySchema>;
