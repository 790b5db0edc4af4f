import type { IncomingHttpHeaders } from 'node:http';
import type { FakeUsage, JsonObject } from './dialects.js';

/** What the stand-in served, for tests that compare it with what was billed. */
export interface JournalEntry {
  requestId: string;
  method: string;
  path: string;
  model: string;
  isStream: boolean;
  status: number;
  /** As counted, told or not; `wordsSent` says how much of it went out. */
  usage: FakeUsage | undefined;
  wordsSent: number;
  /** Without the ones that carry keys. */
  headers: IncomingHttpHeaders;
  body: JsonObject;
  startedAt: string;
  durationMs: number;
  isFinished: boolean;
  clientAborted: boolean;
  /** After the request's begin. */
  abortedAfterMs: number | undefined;
}

const KEY_HEADERS = ['authorization', 'x-api-key', 'api-key', 'cookie'];

export const withoutKeys = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !KEY_HEADERS.includes(name)));

/** The newest entries; older ones are dropped so that load tests may run for hours. */
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
