import { LAST_MILLISECOND } from '@tollgate/contracts/api/fields';
import type { Json } from '../adapter.js';
import { isObject } from '../json/json.js';
import { maskSecrets } from '../faults/mask-secrets.js';

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

/** Masks the failure text, which the task's owner can read: the upstream's message may contain the channel's key or address. */
export const maskedItem = (item: TaskItem, secrets: readonly string[]): TaskItem => ({
  ...item,
  failReason: maskSecrets(item.failReason, secrets),
  description: maskSecrets(item.description, secrets),
});
