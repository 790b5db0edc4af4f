import { createParser } from 'eventsource-parser';

/** What came of one stream. */
export interface LiveEnd {
  /** It began, whatever ended it. */
  opened: boolean;
  /** Of a refusal; 0 without an answer. */
  status: number;
  /** How long to wait before the next one, as the server wishes. */
  retryMs?: number;
}

interface LiveListener {
  opened(): void;
  /** A sign of life: nothing was missed until now. */
  alive(): void;
  message(data: string): void;
}

/** The server says something at least every 15 s. */
export const SILENCE_MS = 40_000;

const isStream = (reply: Response): boolean =>
  reply.ok && (reply.headers.get('content-type') ?? '').startsWith('text/event-stream');

/** Reads a stream of live updates to its end; a line that has fallen silent is one. Never throws. */
export async function readLive(missedMs: number, listener: LiveListener, signal: AbortSignal): Promise<LiveEnd> {
  const end: LiveEnd = { opened: false, status: 0 };
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENCE_MS);
    listener.alive();
  };
  try {
    const reply = await fetch(`${window.location.origin}/api/live?missed=${Math.round(missedMs)}`, {
      headers: { accept: 'text/event-stream' },
      cache: 'no-store',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    end.status = reply.status;
    if (!isStream(reply) || !reply.body) {
      const seconds = Number(reply.headers.get('Retry-After') ?? Number.NaN);
      return Number.isFinite(seconds) ? { ...end, retryMs: seconds * 1000 } : end;
    }
    end.opened = true;
    listener.opened();
    const parser = createParser({
      onEvent: ({ data }) => listener.message(data),
      onRetry: (ms) => (end.retryMs = ms),
    });
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      // Before the sign of life: what the piece says is still to be asked for.
      parser.feed(value);
      alive();
    }
  } catch {
    // Cut, silent or unwanted: the end says what is known.
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
  return end;
}
