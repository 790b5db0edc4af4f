import { type LiveKind, liveMessageSchema } from '@tollgate/contracts/api/live';
import type { Person } from '@tollgate/testing';

const PATIENCE_MS = 15_000;

/** An open live stream, read in the way the console does. */
export class LiveReader {
  readonly heard: LiveKind[] = [];
  text = '';
  isOver = false;
  readonly ended: Promise<void>;
  private waiting: (() => void)[] = [];
  private readonly abort: AbortController;

  private constructor(
    readonly reply: Response,
    abort: AbortController,
  ) {
    this.abort = abort;
    this.ended = this.read().finally(() => {
      this.isOver = true;
      this.wake();
    });
  }

  /** Also resolves for an error reply: `text` is then its body, and the stream is over. */
  static async open(person: Person, { missed, headers }: OpenOptions = {}): Promise<LiveReader> {
    const abort = new AbortController();
    const query = missed === undefined ? '' : `?missed=${missed}`;
    const reply = await fetch(`${person.url}/api/live${query}`, {
      headers: { cookie: person.cookie, 'accept-encoding': 'gzip', ...headers },
      signal: abort.signal,
    });
    const reader = new LiveReader(reply, abort);
    if (!reply.headers.get('content-type')?.startsWith('text/event-stream')) await reader.ended;
    return reader;
  }

  /** Waits until a kind was received `times` times since the beginning of the stream. */
  async hears(kind: LiveKind, times = 1): Promise<void> {
    await this.until(
      () => this.heard.filter((each) => each === kind).length >= times,
      () => `heard ${this.heard.join() || 'nothing'}, not ${kind} (${times})`,
    );
  }

  async ends(): Promise<void> {
    await this.until(
      () => this.isOver,
      () => 'the stream goes on',
    );
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.ended;
  }

  private async until(holds: () => boolean, complaint: () => string): Promise<void> {
    const timer = setTimeout(() => this.wake(), PATIENCE_MS);
    const deadline = performance.now() + PATIENCE_MS;
    try {
      while (!holds()) {
        if (performance.now() >= deadline - 1) throw new Error(complaint());
        if (this.isOver) throw new Error(`the stream is over; ${complaint()}`);
        await new Promise<void>((resolve) => this.waiting.push(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of this.reply.body ?? []) {
        const piece = decoder.decode(chunk as Uint8Array, { stream: true });
        this.text += piece;
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((each) => each.startsWith('data: ')))
          this.heard.push(...liveMessageSchema.strict().parse(JSON.parse(line.slice(6))).changed);
        this.wake();
      }
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    }
  }
}

interface OpenOptions {
  missed?: number;
  headers?: Record<string, string>;
}
