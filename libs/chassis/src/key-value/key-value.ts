export interface Admission {
  admitted: boolean;
  remaining: number;
  retryAfterMs: number;
  /** The place that was taken, for `giveBack`; absent where none was. */
  place?: string;
}

/** Short-lived state shared by all replicas: sessions, rate-limit windows, one-time codes, broadcasts. Never money. */
export abstract class KeyValue {
  abstract get(key: string): Promise<string | undefined>;
  abstract set(key: string, value: string, ttlSeconds: number): Promise<void>;
  abstract delete(...keys: string[]): Promise<void>;
  /** Returns true to the one caller that set the key. */
  abstract setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /**
   * Restarts the TTL of a key if it still has this value, atomically, and returns whether it had; used to keep a lock. After the key
   * expired nothing is changed, whether or not it has been set again since.
   */
  abstract extend(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Deletes a key if it still has this value, atomically, and returns whether it had. */
  abstract deleteIf(key: string, value: string): Promise<boolean>;
  /** Reads and deletes atomically: of several callers only one gets the value. */
  abstract take(key: string): Promise<string | undefined>;
  /** Returns the counter after the increment. The TTL starts with the first increment. */
  abstract increment(key: string, by: number, ttlSeconds: number): Promise<number>;
  /**
   * Sliding-window log: at most `limit` admissions in any `windowMs`. A refused call is not counted; `retryAfterMs` is the time until
   * enough admissions have left the window for one more. `limit` 0 admits nothing.
   */
  abstract admit(key: string, limit: number, windowMs: number): Promise<Admission>;
  /** Frees exactly this place of the window; does nothing where it has been given back or has left the window. */
  abstract giveBack(key: string, place: string): Promise<void>;
  /** Delivers at most once to each replica that is connected now. */
  abstract publish(channel: string, message: string): Promise<void>;
  /** Resolves once subscribed, with a function that ends the subscription. */
  abstract subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  /**
   * Calls the listener with `true` when broadcasts begin to be lost and with `false` when they arrive again. Returns a function that
   * removes it.
   */
  abstract onLoss(listener: (isLosing: boolean) => void): () => void;
  abstract ping(): Promise<void>;
  abstract stop(): Promise<void>;
}
