/**
 * What happens to a running answer after its client has left: `stop` cuts it upstream and charges what was delivered (default), `drain`
 * reads on for its usage, `reported` charges only what the upstream reports. Stored as `abort_policy` in a channel's `setting`.
 */
export const abortPolicies = ['stop', 'drain', 'reported'] as const;
export type AbortPolicy = (typeof abortPolicies)[number];

export const isAbortPolicy = (value: unknown): value is AbortPolicy =>
  (abortPolicies as readonly unknown[]).includes(value);

/**
 * Limits in a channel's `setting`, in seconds: until the first byte of an answer, between two chunks, and for the whole answer. The limits of
 * the process apply where they are shorter.
 */
const timeoutNames = ['first_byte_timeout', 'idle_timeout', 'total_timeout'] as const;

/** Longer than any answer; timers of Node take no more than 24 days. */
const LONGEST_TIMEOUT = 86_400;

export const isTimeout = (value: unknown): value is number =>
  typeof value === 'number' && value > 0 && value <= LONGEST_TIMEOUT;

/**
 * What is invalid in a channel's extra settings: an unknown abort policy, a switch that is neither true nor false, a proxy that is no text, or
 * a limit that is no number of seconds. Taken as they are, the text `"false"` would switch on, and a proxy or a limit of another type would not
 * be used at all. Null means not set.
 */
export function settingFault(setting: Record<string, unknown>): 'policy' | 'switch' | 'proxy' | 'timeout' | undefined {
  const { abort_policy: policy, force_format: formats, thinking_to_content: thinks, proxy } = setting;
  if (policy !== undefined && !isAbortPolicy(policy)) return 'policy';
  if (![formats, thinks].every((value) => value == null || typeof value === 'boolean')) return 'switch';
  if (proxy != null && typeof proxy !== 'string') return 'proxy';
  const timeouts = timeoutNames.map((name) => setting[name]);
  return timeouts.every((value) => value == null || isTimeout(value)) ? undefined : 'timeout';
}

const SOURCE = /^[1-5]\d\d$/;
/** Mapped errors must stay errors: other statuses cannot be a target. */
const TARGET = /^[45]\d\d$/;

/** Accepts both spellings in use, `"500"` and `500`. */
const isTarget = (value: unknown): boolean =>
  (typeof value === 'string' || typeof value === 'number') && TARGET.test(String(value));

/** What is invalid in a status mapping: a key that is not a status, or a target that is not allowed. */
export function statusMappingFault(mapping: Record<string, unknown>): 'source' | 'target' | undefined {
  if (!Object.keys(mapping).every((key) => SOURCE.test(key))) return 'source';
  return Object.values(mapping).every(isTarget) ? undefined : 'target';
}

/** How a channel with several keys chooses one for a request; empty for a channel with a single key. */
export const keyModes = ['', 'random', 'polling'] as const;
export type KeyMode = (typeof keyModes)[number];
