/** Largest priority, weight, type and other number of a channel. */
export const MAX_CHANNEL_NUMBER = 1_000_000_000;

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

const MOST_FORWARDED = 20;
const HEADER_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/i;
/** Headers of one connection and of its framing: set by anybody else than who sends the request, they break it. */
const CONNECTION_HEADER =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-length)$/i;

export const isOfConnection = (name: string): boolean => CONNECTION_HEADER.test(name);

/** A header of the connection among those that are set for models (`claude.model_headers_settings`), if there is one. */
export const connectionHeaderIn = (byModel: unknown): string | undefined =>
  Object.values(byModel as Record<string, object>)
    .flatMap((headers) => Object.keys(headers))
    .find(isOfConnection);

/**
 * Headers that are never forwarded, besides those of the connection: credentials, who the client is, what belongs to the body, and what
 * Tollgate decides itself, because beta features may cost more than the prices cover.
 */
const OWN_HEADER =
  /^(?:(?:proxy-)?authorization|cookie2?|(?:x-)?api-key|mj-api-secret|new-api-user|x-(?:goog|amz|tollgate|oneapi)-.+|content-.+|accept-encoding|(?:x-)?(?:original-)?forwarded(?:-.+)?|x-real-ip|(?:true|x)-client-ip|cf-.+|traceparent|tracestate|baggage|idempotency-key|sec-.+|anthropic-beta|openai-(?:beta|organization|project))$/i;

/** Whether the operator of a channel may have a client's header of this name sent to the upstream. */
export const isForwardable = (name: unknown): name is string =>
  typeof name === 'string' && HEADER_NAME.test(name) && !isOfConnection(name) && !OWN_HEADER.test(name);

const areForwardable = (names: unknown): boolean =>
  Array.isArray(names) && names.length <= MOST_FORWARDED && names.every(isForwardable);

/** Seconds that the test of a channel may take, 0 for no limit. */
export const isTestThreshold = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= LONGEST_TIMEOUT;

type SettingFault = 'policy' | 'switch' | 'proxy' | 'timeout' | 'headers' | 'threshold';

const isUnset = (value: unknown): boolean => value === undefined || value === null;

/** Members that may also be null, which means not set; the abort policy may not. */
const memberRules: readonly [names: readonly string[], isValid: (value: unknown) => boolean, fault: SettingFault][] = [
  [['force_format', 'thinking_to_content'], (value) => typeof value === 'boolean', 'switch'],
  [['proxy'], (value) => typeof value === 'string', 'proxy'],
  [timeoutNames, isTimeout, 'timeout'],
  [['forward_headers'], areForwardable, 'headers'],
  [['test_threshold'], isTestThreshold, 'threshold'],
];

/**
 * What is invalid in a channel's extra settings: an unknown abort policy, a switch that is neither true nor false, a proxy that is no text, a
 * limit that is no number of seconds, or a header that may not be forwarded. Taken as they are, the text `"false"` would switch on, and a proxy
 * or a limit of another type would not be used at all.
 */
export function settingFault(setting: Record<string, unknown>): SettingFault | undefined {
  const { abort_policy: policy } = setting;
  if (policy !== undefined && !isAbortPolicy(policy)) return 'policy';
  const isBroken = (name: string, isValid: (value: unknown) => boolean) =>
    !isUnset(setting[name]) && !isValid(setting[name]);
  return memberRules.find(([names, isValid]) => names.some((name) => isBroken(name, isValid)))?.[2];
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
