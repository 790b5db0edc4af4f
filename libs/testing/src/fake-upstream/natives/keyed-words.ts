import type { FakeDialect, FakeExchange, FakeUsage, Frame, JsonObject } from '../dialects.js';
import { reportedUsages } from '../dialects.js';

export const lastReported = (exchange: FakeExchange): FakeUsage | undefined => reportedUsages(exchange).at(-1);

export const frame = (value: JsonObject): Frame => [undefined, JSON.stringify(value)];

export const plainUsage = ({ promptTokens, completionTokens }: FakeUsage): JsonObject => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

export type ErrorDetails = Parameters<FakeDialect['error']>[0];
