import type { ServerResponse } from 'node:http';

/** An open answer and its index in the list. */
interface Entry {
  readonly response: ServerResponse;
  at: number;
}

/**
 * The answers that are not finished, in no order, as an array whose last entry fills the gap of a removed one. A `Set` that changes with
 * every request is rehashed all the time, and each discarded table references the next. Once one of these is in the old generation, the
 * garbage collector keeps all later ones, and the requests they held, until a full collection.
 */
export class OpenAnswers {
  private readonly entries: Entry[] = [];

  get size(): number {
    return this.entries.length;
  }

  /** Tracks an answer until it has been sent or its connection is closed. */
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
