import { z } from 'zod';
import { lenientInteger, pageFromOneSchema } from '../envelope.js';
import {
  abortPolicySchema,
  consumptionOutcomeSchema,
  picturesSchema,
  usageDoubtSchema,
  usageSourceSchema,
} from '../events/request-consumed.js';
import { integerFilter } from './fields.js';

/** The JSON inside `log.other`; ratios are 0 where a fixed price per call applies. */
export const logOtherSchema = z.looseObject({
  model_ratio: z.number().optional(),
  group_ratio: z.number().optional(),
  /** What the user's own group pays in the group of the request, which `group_ratio` is then, too; −1 where it pays that group's own. */
  user_group_ratio: z.number().optional(),
  completion_ratio: z.number().optional(),
  cache_tokens: z.number().optional(),
  cache_ratio: z.number().optional(),
  cache_creation_tokens: z.number().optional(),
  cache_creation_ratio: z.number().optional(),
  /** The same by how long they are kept; only where some are kept for an hour. */
  cache_creation_tokens_5m: z.number().optional(),
  cache_creation_ratio_5m: z.number().optional(),
  cache_creation_tokens_1h: z.number().optional(),
  cache_creation_ratio_1h: z.number().optional(),
  /** USD per call; −1: priced by ratio. */
  model_price: z.number().optional(),
  /** Milliseconds to the first byte of a stream; −1000: none. */
  frt: z.number().optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  reasoning_effort: z.string().optional(),
  /** True: the prompt count already leaves cached tokens out. */
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
  /** Prices are USD for a thousand calls. */
  web_search: z.boolean().optional(),
  web_search_call_count: z.number().optional(),
  web_search_context_size: z.enum(['low', 'medium', 'high']).optional(),
  web_search_price: z.number().optional(),
  /** They were queries of Google's own tool. */
  google_search: z.boolean().optional(),
  file_search: z.boolean().optional(),
  file_search_call_count: z.number().optional(),
  file_search_price: z.number().optional(),
  /** What administrators see and nobody else. */
  admin_info: z
    .object({
      /** Ids of the channels, in the order they were tried. */
      use_channel: z.array(z.string()),
      /** Additive: one entry per upstream attempt of a request of which one failed. */
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

  /** Additive from here on. */
  request_id: z.string().optional(),
  price_version: z.string().optional(),
  /** The request that this one made up for, after the death of its relay. This one is free. */
  repeats: z.string().optional(),
  /** Units that were set aside. */
  held: z.int().optional(),
  /** Pictures that were made, as they are charged. */
  pictures: picturesSchema.optional(),
  usage_source: usageSourceSchema.optional(),
  usage_doubt: usageDoubtSchema.optional(),
  outcome: consumptionOutcomeSchema.optional(),
  abort_policy: abortPolicySchema.optional(),
  error_type: z.string().optional(),
  error_code: z.string().optional(),
  status_code: z.number().optional(),
  /** A test of a channel, for which nobody pays. */
  channel_test: z.literal(true).optional(),
});
export type LogOther = z.infer<typeof logOtherSchema>;

export const logSchema = z.object({
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
  /** Whole seconds. */
  use_time: z.int(),
  is_stream: z.boolean(),
  /** 0 and an empty name for readers who are not administrators. */
  channel: z.int(),
  channel_name: z.string(),
  token_id: z.int(),
  group: z.string(),
  /** JSON text of `logOtherSchema`; may be empty. */
  other: z.string(),
});
export type Log = z.infer<typeof logSchema>;

/** `quota` follows all filters; `rpm` and `tpm` follow all but time and tell of the last 60 seconds. */
export const logStatSchema = z.object({ quota: z.int(), rpm: z.int(), tpm: z.int() });
export type LogStat = z.infer<typeof logStatSchema>;

/** A NUL is in no stored text, and PostgreSQL refuses to compare with one. */
const text = z
  .string()
  .refine((value) => !value.includes('\0'))
  .default('');

/** Filters shared by the lists and the totals; 0 and '' mean no filter. `request_id` is additive. Users' calls ignore `username` and `channel`. */
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

/** Unix seconds; every row before it goes, and 0 is refused as missing. The reply's `data` is the number of rows. */
export const deleteLogsQuerySchema = z.object({ target_timestamp: lenientInteger(0) });
export type DeleteLogsQuery = z.output<typeof deleteLogsQuerySchema>;

/** `key` may carry `sk-`; without it the `Authorization` header is read. */
export const tokenLogQuerySchema = z.object({ key: text });
export type TokenLogQuery = z.output<typeof tokenLogQuerySchema>;

/** One hour of one model (and user): the dashboard's row. */
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
 * Both bounds are inclusive, the start counts from the beginning of its hour; 0 stands for the last 31 days until now. One's own hours of more
 * than 31 days are refused, also where only the end is given.
 * `default_time` is sent by the console and changes nothing.
 */
export const quotaDataQuerySchema = z.object({
  username: text,
  start_timestamp: integerFilter,
  end_timestamp: integerFilter,
  default_time: text,
});
export type QuotaDataQuery = z.output<typeof quotaDataQuerySchema>;
