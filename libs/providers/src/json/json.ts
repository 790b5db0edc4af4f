import type { Json, JsonObject } from '../adapter.js';
import { isModestJson } from './modest-json.js';

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

/** An absent or ill-typed object reads as an empty one, so that optional members need no checks. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const arrayOf = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Google accepts each name in both spellings, `maxTokens` and `max_tokens`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function parsed(text: string): unknown {
  if (!isModestJson(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `undefined` for anything but a JSON object, and for one that is nested too deeply or has too many values. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parsed(text);
  return isObject(value) ? value : undefined;
}

/** As `parseObject`, for an object or a list. */
export function parseStructure(text: string): JsonObject | Json[] | undefined {
  const value = parsed(text);
  return Array.isArray(value) ? (value as Json[]) : isObject(value) ? value : undefined;
}
