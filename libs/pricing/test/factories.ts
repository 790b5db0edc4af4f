import type { AppliedPrice, Usage } from '@tollgate/contracts';

export const usage = (tokens: Partial<Usage> = {}): Usage => ({
  semantics: 'openai',
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  ...tokens,
});

/** Every ratio is 1, except that writing to a cache costs a quarter more. */
export const price = (numbers: Partial<AppliedPrice> = {}): AppliedPrice => ({
  modelRatio: 1,
  completionRatio: 1,
  groupRatio: 1,
  cacheRatio: 1,
  cacheCreationRatio: 1.25,
  modelPrice: -1,
  quotaPerUnit: 500_000,
  ...numbers,
});
