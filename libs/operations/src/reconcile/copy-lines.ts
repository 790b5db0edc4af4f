import { storableText } from '@tollgate/chassis';

/** A character takes at most so many bytes. */
const MOST_BYTES = 3;
const FIRST_SIZE = 4 * 1024 * 1024;

/** Lines of COPY, written out one by one: text that is kept until there are thousands costs more than all that is done with it. */
export class CopyLines {
  rows = 0;
  private buffer = Buffer.allocUnsafe(FIRST_SIZE);
  private length = 0;

  add(line: string): void {
    const most = this.length + line.length * MOST_BYTES;
    if (most > this.buffer.length) {
      const wider = Buffer.allocUnsafe(2 * most);
      this.buffer.copy(wider, 0, 0, this.length);
      this.buffer = wider;
    }
    this.length += this.buffer.write(line, this.length, 'utf8');
    this.rows += 1;
  }

  /** Valid until the next line is added after `clear`. */
  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    this.rows = 0;
  }
}

/** What COPY would read as something else. */
const COPY_WORDS: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
/** Models, versions and replicas are few, and events many. */
const KEPT = 10_000;
const known = new Map<string, string>();

/** A text as COPY takes it. */
export function copied(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const after = storableText(text).replace(/[\\\t\n\r]/g, (character) => COPY_WORDS[character] ?? character);
  if (known.size >= KEPT) known.clear();
  known.set(text, after);
  return after;
}
