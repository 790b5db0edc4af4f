import { readStoredJson, writeStored } from './stored.js';

const KEY = 'recent-commands';
const MOST = 5;

/** A chosen entry of the palette that has an address; actions without one are not remembered. */
export interface Recent {
  id: string;
  name: string;
  to: string;
}

/** The names may be those of users and channels, which the next user of this browser must not learn. */
interface Stored {
  user: number;
  entries: Recent[];
}

const isRecent = (value: unknown): value is Recent => {
  const { id, name, to } = (value ?? {}) as Partial<Recent>;
  // Accepts addresses of the console only, because every script of the origin can write to the storage.
  return typeof id === 'string' && typeof name === 'string' && typeof to === 'string' && /^\/(?!\/)/.test(to);
};
const isStored = (value: unknown): value is Stored => {
  const { user, entries } = (value ?? {}) as Partial<Stored>;
  return typeof user === 'number' && Array.isArray(entries) && entries.every(isRecent);
};

/** What this user chose last in this browser. */
export function readRecent(user: number): Recent[] {
  const stored = readStoredJson(KEY, isStored);
  return stored?.user === user ? stored.entries : [];
}

export function remember(user: number, { id, name, to }: Recent): void {
  const rest = readRecent(user).filter((entry) => entry.id !== id);
  writeStored(KEY, JSON.stringify({ user, entries: [{ id, name, to }, ...rest].slice(0, MOST) } satisfies Stored));
}

export const forgetRecent = (): void => writeStored(KEY, null);
