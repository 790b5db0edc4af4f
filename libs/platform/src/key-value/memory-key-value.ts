import { KeyValue } from './key-value.js';

/** For one process: everything in memory, bounded. */
export class MemoryKeyValue extends KeyValue {
  get(_key: string): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }
  set(_key: string, _value: string, _ttlSeconds: number): Promise<void> {
    return Promise.resolve();
  }
  delete(..._keys: string[]): Promise<void> {
    return Promise.resolve();
  }
  setIfAbsent(_key: string, _value: string, _ttlSeconds: number): Promise<boolean> {
    return Promise.resolve(false);
  }
  take(_key: string): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }
  increment(_key: string, by: number, _ttlSeconds: number): Promise<number> {
    return Promise.resolve(by);
  }
  admit(_key: string, limit: number, _windowMs: number): Promise<{ admitted: boolean; remaining: number; retryAfterMs: number }> {
    return Promise.resolve({ admitted: true, remaining: limit, retryAfterMs: 0 });
  }
  publish(_channel: string, _message: string): Promise<void> {
    return Promise.resolve();
  }
  subscribe(_channel: string, _listener: (message: string) => void): Promise<() => Promise<void>> {
    return Promise.resolve(() => Promise.resolve());
  }
  ping(): Promise<void> {
    return Promise.resolve();
  }
  stop(): Promise<void> {
    return Promise.resolve();
  }
}
