import type { IncomingHttpHeaders } from 'node:http';
import type { FakeUsage, JsonObject } from './dialects.js';

/** A request that the fake upstream served, for tests that compare it with what was billed. */
export interface JournalEntry {
  requestId: string;
  method: string;
  path: string;
  model: string;
  isStream: boolean;
  status: number;
  /** The true usage, whether it was reported or not; `wordsSent` says how much of the reply was sent. */
  usage: FakeUsage | undefined;
  wordsSent: number;
  /** Request headers without those that contain keys. */
  headers: IncomingHttpHeaders;
  body: JsonObject;
  startedAt: string;
  durationMs: number;
  isFinished: boolean;
  clientAborted: boolean;
  /** Milliseconds from the start of the request until the client disconnected. */
  abortedAfterMs: number | undefined;
}

const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'cookie'];

export const withoutKeys = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !KEY_HEADERS.includes(name)));

/** Keeps the newest entries only, so that load tests can run for hours. */
export class Journal {
  private entries: JournalEntry[] = [];
  served = 0;

  constructor(private readonly capacity: number) {}

  add(entry: JournalEntry): JournalEntry {
    this.served += 1;
    if (this.capacity === 0) return entry;
    this.entries.push(entry);
    if (this.entries.length > 2 * this.capacity) this.entries = this.entries.slice(-this.capacity);
    return entry;
  }

  list(): JournalEntry[] {
    return this.entries.slice(-this.capacity || this.entries.length);
  }

  clear(): void {
    this.entries = [];
    this.served = 0;
  }
}
