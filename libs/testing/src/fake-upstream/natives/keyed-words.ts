import type { FakeDialect, FakeExchange, FakeUsage, Frame, JsonObject } from '../dialects.js';
import { toldUsages } from '../dialects.js';

export const lastTold = (exchange: FakeExchange): FakeUsage | undefined => toldUsages(exchange).at(-1);

export const frame = (value: JsonObject): Frame => [undefined, JSON.stringify(value)];

export const plainUsage = ({ promptTokens, completionTokens }: FakeUsage): JsonObject => ({
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
  total_tokens: promptTokens + completionTokens,
});

export type ErrorDetails = Parameters<FakeDialect['error']>[0];
