import { createParser } from 'eventsource-parser';

/** How one stream ended. */
interface LiveEnd {
  /** Whether the stream was established before it ended. */
  opened: boolean;
  /** HTTP status of the reply; 0 without a reply. */
  status: number;
  /** Milliseconds to wait before the next attempt, as the server asked. */
  retryMs?: number;
}

interface LiveListener {
  opened(): void;
  /** Something was received: no change was missed until now. */
  alive(): void;
  message(data: string): void;
}

/** The server sends at least a comment every 15 s; a stream that is silent for longer than this is considered dead. */
export const SILENCE_MS = 40_000;

const isStream = (reply: Response): boolean =>
  reply.ok && (reply.headers.get('content-type') ?? '').startsWith('text/event-stream');

/** Reads a live stream until it ends, is aborted or stays silent for `SILENCE_MS`. Never throws. */
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
      // The changes are processed before `alive()` states that everything until now was received.
      parser.feed(value);
      alive();
    }
  } catch {
    // Cut off, silent or aborted: `end` has the details.
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
  return end;
}
