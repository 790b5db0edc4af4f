import { LAST_MILLISECOND } from '@tollgate/contracts/api/fields';
import type { Json } from '../adapter.js';
import { isObject } from '../json/json.js';
import { maskSecrets } from '../faults/mask-secrets.js';

/**
 * What an upstream tells of a task, read without trust: a member of another kind reads as absent, a text is cut to what we keep.
 * Times are in milliseconds, 0 = not stated.
 */
export interface TaskItem {
  upstreamId: string;
  /** In the upstream's words; empty = not stated. */
  status: string;
  /** `45%`. */
  progress: string;
  startedAt: number;
  finishedAt: number;
  failReason: string;
  imageUrl: string;
  promptEn: string;
  description: string;
  state: string;
  /** JSON texts; empty = not stated, or too long to keep. */
  buttons: string;
  properties: string;
  data: string;
}

export const cut = (value: unknown, length: number): string =>
  typeof value === 'string' ? value.slice(0, length) : '';

/** Ids come as numbers too. */
export const idOf = (value: unknown): string =>
  typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : cut(value, 128);

/** The JSON of an object or a list, where it is not longer than we keep. */
export function jsonText(value: Json | undefined, length: number): string {
  if (!isObject(value) && !Array.isArray(value)) return '';
  const text = JSON.stringify(value);
  return text.length <= length ? text : '';
}

/** A moment in `unit` milliseconds, as milliseconds; 0 for what is none, and for what is too late to be kept. */
export function timeOf(value: unknown, unit: 1 | 1000): number {
  const time = typeof value === 'string' ? Number(value) : value;
  const moment = typeof time === 'number' ? time * unit : 0;
  return Number.isSafeInteger(moment) && moment > 0 && moment <= LAST_MILLISECOND ? moment : 0;
}

/** Upstreams write `45%`, `45` or a number. */
export function progressOf(value: unknown): string {
  const match = /^(\d{1,3}(?:\.\d{1,2})?)%?$/.exec(typeof value === 'number' ? String(value) : cut(value, 30).trim());
  return match ? `${Math.min(100, Number(match[1]))}%` : '';
}

/** Whose task it is reads why it failed: an upstream's words may repeat the channel's key or its address. */
export const maskedItem = (item: TaskItem, secrets: readonly string[]): TaskItem => ({
  ...item,
  failReason: maskSecrets(item.failReason, secrets),
  description: maskSecrets(item.description, secrets),
});
