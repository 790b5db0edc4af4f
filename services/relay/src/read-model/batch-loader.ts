interface Waiting<Key, Value> {
  key: Key;
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
}

/** The most keys in one call. */
const MAX_BATCH = 500;

/**
 * Collects the keys requested in the same turn of the event loop and loads them in one call; concurrent requests for
 * the same key share one load.
 */
export class BatchLoader<Key, Value> {
  private waiting: Waiting<Key, Value>[] = [];
  private readonly running = new Map<Key, Promise<Value | undefined>>();

  constructor(private readonly load: (keys: Key[]) => Promise<Map<Key, Value>>) {}

  get(key: Key): Promise<Value | undefined> {
    const running = this.running.get(key);
    if (running) return running;
    const loading: Promise<Value | undefined> = new Promise<Value | undefined>((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (this.waiting.length === 1) setImmediate(() => this.flush());
    }).finally(() => {
      if (this.running.get(key) === loading) this.running.delete(key);
    });
    this.running.set(key, loading);
    return loading;
  }

  /** Later calls of `get` do not share loads that are still running, because their result may predate a change. */
  discardRunning(): void {
    this.running.clear();
  }

  private flush(): void {
    const all = this.waiting;
    this.waiting = [];
    for (let from = 0; from < all.length; from += MAX_BATCH) void this.run(all.slice(from, from + MAX_BATCH));
  }

  private async run(batch: Waiting<Key, Value>[]): Promise<void> {
    try {
      const found = await this.load(batch.map(({ key }) => key));
      for (const { key, resolve } of batch) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
