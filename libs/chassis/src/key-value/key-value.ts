export interface Admission {
  admitted: boolean;
  remaining: number;
  retryAfterMs: number;
}

/** Short-lived state shared by all replicas: sessions, windows, one-time codes, broadcasts. Never money. */
export abstract class KeyValue {
  abstract get(key: string): Promise<string | undefined>;
  abstract set(key: string, value: string, ttlSeconds: number): Promise<void>;
  abstract delete(...keys: string[]): Promise<void>;
  /** True for the one caller that set it. */
  abstract setIfAbsent(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /**
   * Lets the time of a key start anew if it still has this value, in one step, and tells whether it had: whoever holds a lock keeps it so. After a
   * lapse nothing changes, whether somebody else has set the key since or nobody.
   */
  abstract extend(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Deletes a key if it still has this value, in one step, and tells whether it had. */
  abstract deleteIf(key: string, value: string): Promise<boolean>;
  /** Reads and deletes in one step: of several callers one gets the value. */
  abstract take(key: string): Promise<string | undefined>;
  /** The counter after the increment; the TTL starts with the first one. */
  abstract increment(key: string, by: number, ttlSeconds: number): Promise<number>;
  /**
   * Sliding-window log: at most `limit` admissions in any `windowMs`. A refused call is not counted;
   * `retryAfterMs` says when the oldest admission leaves the window. `limit` 0 admits nothing. A `weight` of 0 only asks whether
   * there is room.
   */
  abstract admit(key: string, limit: number, windowMs: number, weight?: 0 | 1): Promise<Admission>;
  /** Delivered at most once to each replica that is connected now. */
  abstract publish(channel: string, message: string): Promise<void>;
  /** Resolves once subscribed, with the function that ends the subscription. */
  abstract subscribe(channel: string, listener: (message: string) => void): Promise<() => Promise<void>>;
  /** Told `true` when broadcasts begin to be lost and `false` when they come again. Answers the function that ends it. */
  abstract onLoss(listener: (isLosing: boolean) => void): () => void;
  abstract ping(): Promise<void>;
  abstract stop(): Promise<void>;
}
