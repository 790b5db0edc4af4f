import type { KeyValue } from '../key-value/key-value.js';
import type { Revisions } from './revisions.js';

const CHANNEL = 'revisions-seen';
/** The names of all revisions; anything else in the header is ignored. */
const PAIR = /^(option|user|routing|token|price)=(\d{1,15})$/;

/** Reads `option=12,routing=5`; what has another form is left out. */
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
  /** The header that goes along with requests, as `parseRevisions` reads it; empty until a revision was seen. */
  header = '';

  /** -1 for what was never heard of. */
  of(name: string): number {
    return this.newest.get(name) ?? -1;
  }

  /** Takes over what is newer than what was seen; tells whether anything was. */
  learn(revisions: Revisions): boolean {
    const news = Object.entries(revisions).filter(([name, revision]) => revision > this.of(name));
    for (const [name, revision] of news) this.newest.set(name, revision);
    if (news.length > 0) this.tell();
    return news.length > 0;
  }

  /** To be called when the owner turns out not to have this revision, as after the restore of a backup. */
  forget(name: string, revision: number): void {
    if (this.of(name) !== revision) return;
    this.newest.delete(name);
    this.tell();
  }

  /** Takes over what other processes publish. The returned function ends the subscription. */
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
