import { LAST_MILLISECOND } from '@tollgate/contracts/api/fields';
import type { Json, JsonObject } from '../adapter.js';
import { isObject } from '../json/json.js';
import { contentMask, maskSecrets, type SecretAccount, secretsOf, secretsOfKey } from '../faults/mask-secrets.js';

/**
 * An upstream's description of a task, read without trust: a member of the wrong type counts as absent, and texts are cut to the stored
 * length. Times are in milliseconds; 0 means not stated.
 */
export interface TaskItem {
  upstreamId: string;
  /** The upstream's own status; empty if not stated. */
  status: string;
  /** For example `45%`. */
  progress: string;
  startedAt: number;
  finishedAt: number;
  failReason: string;
  imageUrl: string;
  promptEn: string;
  description: string;
  state: string;
  /** JSON texts; empty if not stated or too long to store. */
  buttons: string;
  properties: string;
  data: string;
}

export const cut = (value: unknown, length: number): string =>
  typeof value === 'string' ? value.slice(0, length) : '';

/** An id as text; some upstreams send numbers. */
export const taskIdOf = (value: unknown): string =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : cut(value, 128);

/** The JSON of an object or list; empty if it is longer than the stored length. */
export function jsonText(value: Json | undefined, length: number): string {
  if (!isObject(value) && !Array.isArray(value)) return '';
  const text = JSON.stringify(value);
  return text.length <= length ? text : '';
}

/** Converts a time in units of `unit` milliseconds to milliseconds; 0 for an invalid time and for one too large to store. */
export function timeOf(value: unknown, unit: 1 | 1000): number {
  const time = typeof value === 'string' ? Number(value) : value;
  const moment = typeof time === 'number' ? time * unit : 0;
  return Number.isSafeInteger(moment) && moment > 0 && moment <= LAST_MILLISECOND ? moment : 0;
}

/** Accepts `45%`, `45` or a number. */
export function progressOf(value: unknown): string {
  const match = /^(\d{1,3}(?:\.\d{1,2})?)%?$/.exec(typeof value === 'number' ? String(value) : cut(value, 30).trim());
  return match ? `${Math.min(100, Number(match[1]))}%` : '';
}

/** Masks all texts in a JSON text, names of members among them, as they are read: in their escaped form a mask could break the JSON. */
function maskedJson(text: string, mask: (text: string) => string): string {
  if (text === '') return '';
  const masked = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return mask(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [mask(name), member]));
  };
  return JSON.stringify(JSON.parse(text, masked));
}

/**
 * Masks the channel's secrets in texts that the task's owner can read. In the failure and the description these are addresses too; elsewhere
 * only the key, because an address can be what was made.
 */
export function maskedItem(item: TaskItem, channel?: SecretAccount): TaskItem {
  const secrets = channel ? secretsOf(channel) : [];
  const withoutKey = contentMask(secretsOfKey(channel?.key ?? ''));
  return {
    ...item,
    failReason: maskSecrets(item.failReason, secrets),
    description: maskSecrets(item.description, secrets),
    promptEn: withoutKey(item.promptEn),
    state: withoutKey(item.state),
    buttons: maskedJson(item.buttons, withoutKey),
    properties: maskedJson(item.properties, withoutKey),
    data: maskedJson(item.data, withoutKey),
  };
}

/** Masks in the reply to a submission what `maskedItem` masks in its task: in what it tells people addresses too, elsewhere the key only. */
export function maskedReply(reply: JsonObject, channel: SecretAccount): JsonObject {
  const secrets = secretsOf(channel);
  const withoutKey = contentMask(secretsOfKey(channel.key));
  const told = ['description', 'message'].flatMap((name) => {
    const text = reply[name];
    return typeof text === 'string' ? [[name, maskSecrets(text, secrets)] as const] : [];
  });
  const masked = JSON.parse(maskedJson(JSON.stringify(reply), withoutKey)) as JsonObject;
  return { ...masked, ...Object.fromEntries(told) };
}
