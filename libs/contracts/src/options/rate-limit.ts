import { groupRateLimits } from './json-schemas.js';
import { option } from './option.js';
import { flag, integer } from './text-schemas.js';

const limit = { minRole: 10, card: 'rate-limit.model-request' } as const;
const MAX_REQUESTS = 1_000_000_000;

export const rateLimitOptions = {
  ModelRequestRateLimitEnabled: option({ ...limit, schema: flag, default: 'false' }),
  /** 0 for no window, hence no limit. */
  ModelRequestRateLimitDurationMinutes: option({ ...limit, schema: integer(0, 43_200), default: '1' }),
  /** Includes failed requests; 0 for unlimited. */
  ModelRequestRateLimitCount: option({ ...limit, schema: integer(0, MAX_REQUESTS), default: '0' }),
  ModelRequestRateLimitSuccessCount: option({ ...limit, schema: integer(1, MAX_REQUESTS), default: '1000' }),
  /** Replaces both counts for the listed groups. */
  ModelRequestRateLimitGroup: option({ ...limit, schema: groupRateLimits, default: '{}' }),
};
