import { storableText } from '@tollgate/chassis';

/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const MOST_BYTES = 3;
const FIRST_SIZE = 4 * 1024 * 1024;

/**
 * A buffer of lines for COPY. Each line is encoded at once, because keeping thousands of strings costs more than
 * everything else that is done with them.
 */
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

  /** The lines as bytes. They are valid until the next line is added after `clear`. */
  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
    this.rows = 0;
  }
}

/** Characters with a special meaning in COPY, and their escapes. */
const COPY_WORDS: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
/** Size of the cache of escaped texts: models, versions and replicas are few, events many. */
const KEPT = 10_000;
const known = new Map<string, string>();

/** Escapes a text for COPY. */
export function copied(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const after = storableText(text).replace(/[\\\t\n\r]/g, (character) => COPY_WORDS[character] ?? character);
  if (known.size >= KEPT) known.clear();
  known.set(text, after);
  return after;
}
