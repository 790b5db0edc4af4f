import type { KeyValue } from '../key-value/key-value.js';
import type { Revisions } from './revisions.js';

const CHANNEL = 'revisions-seen';
/** What owners count. */
const PAIR = /^(option|user|routing|token|price)=(\d{1,15})$/;

/** `option=12,routing=5`; what is anything else is left out. */
export function parseRevisions(text: unknown): Revisions {
  if (typeof text !== 'string') return {};
  const pairs = text.split(',', 16).map((pair) => PAIR.exec(pair));
  return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1], Number(pair[2])]] : [])));
}

/**
 * The newest revisions of all owners that any service of this process has seen, so that whoever changed something meets it in the
 * next reply, whichever process gives that: the reply to the change names its revision, every request after it asks for at least that one.
 */
export class SeenRevisions {
  private readonly newest = new Map<string, number>();
  /** What goes along with requests; empty until there is something to tell. */
  header = '';

  /** -1 for what was never heard of. */
  of(name: string): number {
    return this.newest.get(name) ?? -1;
  }

  /** Whether one of them is news. */
  learn(revisions: Revisions): boolean {
    const news = Object.entries(revisions).filter(([name, revision]) => revision > this.of(name));
    for (const [name, revision] of news) this.newest.set(name, revision);
    if (news.length > 0) this.tell();
    return news.length > 0;
  }

  /** The owner itself has no such revision, as after the restore of a backup. */
  forget(name: string, revision: number): void {
    if (this.of(name) !== revision) return;
    this.newest.delete(name);
    this.tell();
  }

  /** Hears what other processes have brought about. The returned function ends it. */
  listen(keyValue: Pick<KeyValue, 'subscribe'>): Promise<() => Promise<void>> {
    return keyValue.subscribe(CHANNEL, (text) => void this.learn(parseRevisions(text)));
  }

  /** Lets every process know, before whoever made the change is told that it is made. */
  async publish(keyValue: Pick<KeyValue, 'publish'>): Promise<void> {
    await keyValue.publish(CHANNEL, this.header);
  }

  private tell(): void {
    this.header = [...this.newest].map(([name, revision]) => `${name}=${revision}`).join();
  }
}
