import type { KeyValue } from '../key-value/key-value.js';
import type { Revisions } from './revisions.js';

const CHANNEL = 'revisions-seen';
/** One pair with the name of a known revision; anything else in the header is ignored. */
const PAIR = /^(option|user|routing|token|price)=(\d{1,15})$/;

/** Parses `option=12,routing=5`; malformed parts are skipped. */
export function parseRevisions(text: unknown): Revisions {
  if (typeof text !== 'string') return {};
  const pairs = text.split(',', 16).map((pair) => PAIR.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1], Number(pair[2])]] : [])));
}

/**
 * The newest revisions of all owners that any service of this process has seen. They ensure that a person who changed something sees the
 * change in the next reply, whichever process gives it: the reply to the change states the revision, and every later request demands at
 * least that one.
 */
export class SeenRevisions {
  private readonly newest = new Map<string, number>();
  /** Header to send with requests, in the form that `parseRevisions` reads; empty until a revision was seen. */
  header = '';

  /** -1 for a revision that was never seen. */
  of(name: string): number {
    return this.newest.get(name) ?? -1;
  }

  /** Adopts revisions newer than those seen; returns whether there were any. */
  learn(revisions: Revisions): boolean {
    const newer = Object.entries(revisions).filter(([name, revision]) => revision > this.of(name));
    for (const [name, revision] of newer) this.newest.set(name, revision);
    if (newer.length > 0) this.updateHeader();
    return newer.length > 0;
  }

  /** Call this when the owner turns out not to have this revision, as after the restore of a backup. */
  forget(name: string, revision: number): void {
    if (this.of(name) !== revision) return;
    this.newest.delete(name);
    this.updateHeader();
  }

  /** Adopts what other processes publish. The returned function ends the subscription. */
  listen(keyValue: Pick<KeyValue, 'subscribe'>): Promise<() => Promise<void>> {
    return keyValue.subscribe(CHANNEL, (text) => void this.learn(parseRevisions(text)));
  }

  /** Publishes the revisions to every process; called before the change is confirmed to its author. */
  async publish(keyValue: Pick<KeyValue, 'publish'>): Promise<void> {
    await keyValue.publish(CHANNEL, this.header);
  }

  private updateHeader(): void {
    this.header = [...this.newest].map(([name, revision]) => `${name}=${revision}`).join();
  }
}
