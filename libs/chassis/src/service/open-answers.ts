import type { ServerResponse } from 'node:http';

/** One answer, and where it stands in the list. */
interface Entry {
  readonly response: ServerResponse;
  at: number;
}

/**
 * The answers that are not over yet, in no order. A list whose gaps the last one fills: a `Set` that gains and loses an entry with every request
 * is rebuilt all the time, and each table it leaves behind points to the next one. Once one of these is old, the collector keeps all that
 * follow it, and every request they held, until it looks at the whole heap.
 */
export class OpenAnswers {
  private readonly entries: Entry[] = [];

  get size(): number {
    return this.entries.length;
  }

  /** Until the answer is out, or its connection is gone. */
  add(response: ServerResponse): void {
    const entry = { response, at: this.entries.length };
    this.entries.push(entry);
    response.once('close', () => this.remove(entry));
  }

  *[Symbol.iterator](): Generator<ServerResponse> {
    for (const { response } of this.entries) yield response;
  }

  private remove(gone: Entry): void {
    const last = this.entries.pop();
    if (!last || last === gone) return;
    last.at = gone.at;
    this.entries[gone.at] = last;
  }
}
