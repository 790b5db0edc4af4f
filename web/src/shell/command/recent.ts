import { readStoredJson, writeStored } from '../../app/stored.js';

const KEY = 'recent-commands';
const MOST = 5;

/** A chosen entry that has an address; actions without one are not remembered. */
export interface Recent {
  id: string;
  name: string;
  to: string;
}

const isRecent = (value: unknown): value is Recent => {
  const { id, name, to } = (value ?? {}) as Partial<Recent>;
  // Accepts addresses of the console only, because every script of the origin can write to the storage.
  return typeof id === 'string' && typeof name === 'string' && typeof to === 'string' && /^\/(?!\/)/.test(to);
};
const isList = (value: unknown): value is Recent[] => Array.isArray(value) && value.every(isRecent);

export const readRecent = (): Recent[] => readStoredJson(KEY, isList) ?? [];

export function remember({ id, name, to }: Recent): void {
  const rest = readRecent().filter((entry) => entry.id !== id);
  writeStored(KEY, JSON.stringify([{ id, name, to }, ...rest].slice(0, MOST)));
}
