/**
 * What becomes of an answer whose client has left: cut upstream and billed for what was delivered (the default), read on to its
 * usage, or billed by what the upstream reports and nothing else. The key `abort_policy` of a channel's `setting`.
 */
export const abortPolicies = ['stop', 'drain', 'reported'] as const;
export type AbortPolicy = (typeof abortPolicies)[number];

export const isAbortPolicy = (value: unknown): value is AbortPolicy =>
  (abortPolicies as readonly unknown[]).includes(value);

const SOURCE = /^[1-5]\d\d$/;
/** What is mapped stays an error: no other status is ever answered in its place. */
const TARGET = /^[45]\d\d$/;

/** Both spellings, `"500"` and `500`, are in use. */
const isTarget = (value: unknown): boolean =>
  (typeof value === 'string' || typeof value === 'number') && TARGET.test(String(value));

/** What of a mapping of statuses cannot be meant: a key that is no status, or a target that a reply cannot have. */
export function statusMappingFault(mapping: Record<string, unknown>): 'source' | 'target' | undefined {
  if (!Object.keys(mapping).every((key) => SOURCE.test(key))) return 'source';
  return Object.values(mapping).every(isTarget) ? undefined : 'target';
}

/** How a channel that has several keys chooses one for a request; empty: it has one. */
export const keyModes = ['', 'random', 'polling'] as const;
export type KeyMode = (typeof keyModes)[number];
