import { inFreshContext } from '../context/fresh-context.js';
import { type Admission, KeyValue } from './key-value.js';

interface Entry {
  value: string;
  /** By the monotonic clock, so that changing the wall clock expires nothing early. */
  expiresAt: number;
}

interface Window {
  /** Those inside the window, in ascending order of their times. */
  admissions: { at: number; place: string }[];
  expiresAt: number;
}

interface MemoryKeyValueOptions {
  /** Limit on the number of keys of each kind; beyond it the least recently written key is removed. */
  maxKeys?: number;
  /** Monotonic milliseconds. */
  now?: () => number;
}

const MAX_KEYS = 200_000;
const SWEEP_MS = 30_000;

/** `KeyValue` for a single process, in bounded memory. Nothing in it may be needed after a restart. */
export class MemoryKeyValue extends KeyValue {
  private readonly entries = new Map<string, Entry>();
  private readonly windows = new Map<string, Window>();
  private readonly listeners = new Map<string, Set<(message: string) => void>>();
  private readonly maxKeys: number;
  private readonly now: () => number;
  private places = 0;
  private readonly sweeper: NodeJS.Timeout;

  constructor({ maxKeys = MAX_KEYS, now = () => performance.now() }: MemoryKeyValueOptions = {}) {
    super();
    this.maxKeys = maxKeys;
    this.now = now;
    this.sweeper = setInterval(() => this.sweep(), SWEEP_MS);
    this.sweeper.unref();
  }

  async get(key: string): Promise<string | undefined> {
    return this.live(key)?.value;
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    this.put(key, { value, expiresAt: this.now() + ttlSeconds * 1000 });
  }

  async delete(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.entries.delete(key);
      this.windows.delete(key);
    }
  }

  async setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (this.live(key)) return false;
    this.put(key, { value, expiresAt: this.now() + ttlSeconds * 1000 });
    return true;
  }

  async extend(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    if (this.live(key)?.value !== value) return false;
    this.put(key, { value, expiresAt: this.now() + ttlSeconds * 1000 });
    return true;
  }

  async deleteIf(key: string, value: string): Promise<boolean> {
    return this.live(key)?.value === value && this.entries.delete(key);
  }

  async take(key: string): Promise<string | undefined> {
    const value = this.live(key)?.value;
    this.entries.delete(key);
    return value;
  }

  async increment(key: string, by: number, ttlSeconds: number): Promise<number> {
    const entry = this.live(key);
    const count = Number(entry?.value ?? 0) + by;
    if (!Number.isSafeInteger(count)) throw new Error(`the value of "${key}" is not a counter`);
    if (entry) entry.value = String(count);
    else this.put(key, { value: String(count), expiresAt: this.now() + ttlSeconds * 1000 });
    return count;
  }

  async admit(key: string, limit: number, windowMs: number): Promise<Admission> {
    const now = this.now();
    const window = this.windows.get(key) ?? { admissions: [], expiresAt: 0 };
    const { admissions } = window;
    const gone = admissions.findIndex(({ at }) => at > now - windowMs);
    admissions.splice(0, gone === -1 ? admissions.length : gone);
    if (admissions.length >= limit) {
      // After the limit was lowered there may be more admissions than it allows: room comes when the surplus has expired too.
      const freeing = admissions[admissions.length - limit]?.at ?? now;
      return { admitted: false, remaining: 0, retryAfterMs: Math.max(1, Math.ceil(freeing + windowMs - now)) };
    }
    const place = String((this.places += 1));
    admissions.push({ at: now, place });
    window.expiresAt = now + windowMs;
    this.windows.delete(key);
    this.windows.set(key, window);
    bound(this.windows, this.maxKeys);
    return { admitted: true, remaining: limit - admissions.length, retryAfterMs: 0, place };
  }

  async giveBack(key: string, place: string): Promise<void> {
    const admissions = this.windows.get(key)?.admissions ?? [];
    const index = admissions.findIndex((admission) => admission.place === place);
    if (index >= 0) admissions.splice(index, 1);
  }

  async publish(channel: string, message: string): Promise<void> {
    // Delivered later and outside the publisher's context, like a message over a network.
    for (const listener of this.listeners.get(channel) ?? [])
      inFreshContext(() => setImmediate(() => this.hand(channel, listener, message)));
  }

  private hand(channel: string, listener: (message: string) => void, message: string): void {
    if (this.listeners.get(channel)?.has(listener)) listener(message);
  }

  async subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>> {
    const own = (message: string): void => listener(message);
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(own));
    return async () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.listeners.get(channel) === listeners) this.listeners.delete(channel);
    };
  }

  /** Inside a process no broadcast is lost. */
  onLoss(): () => void {
    return () => undefined;
  }

  async ping(): Promise<void> {
    // Memory is always available.
  }

  async stop(): Promise<void> {
    clearInterval(this.sweeper);
    this.listeners.clear();
  }

  private live(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (!entry || entry.expiresAt > this.now()) return entry;
    this.entries.delete(key);
    return undefined;
  }

  private put(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    bound(this.entries, this.maxKeys);
  }

  private sweep(): void {
    const now = this.now();
    for (const map of [this.entries, this.windows]) {
      for (const [key, { expiresAt }] of map) if (expiresAt <= now) map.delete(key);
    }
  }
}

/** A map keeps insertion order, and a write re-inserts its key, so the first key is the least recently written. */
function bound(map: Map<string, unknown>, maxKeys: number): void {
  if (map.size <= maxKeys) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
