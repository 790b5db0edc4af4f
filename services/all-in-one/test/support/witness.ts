import { type ClientDialect, isOver, keyHeader, MODELS, PATHS } from './relay-site.js';

/** Number of words of every complete reply; the prompt has three. */
export const WORDS = 40;
const PATIENCE_MS = 60_000;

interface KindOfRequest {
  dialect: ClientDialect;
  path: string;
  model: string;
  isStream: boolean;
  /** Charge in units for a reply of this many words, at the default ratios. */
  priceOf(words: number): number;
}

const openai = { dialect: 'openai', model: MODELS.openai } as const;
const anthropic = { dialect: 'anthropic', model: MODELS.anthropic } as const;
const chatPrice = (words: number): number => Math.round((3 + words * 4) * 1.25);
const messagesPrice = (words: number): number => Math.round((3 + words * 5) * 1.5);

/** The kinds of requests that clients make. */
export const KINDS = {
  chat: { ...openai, path: PATHS.openai, isStream: false, priceOf: chatPrice },
  'chat stream': { ...openai, path: PATHS.openai, isStream: true, priceOf: chatPrice },
  messages: { ...anthropic, path: PATHS.anthropic, isStream: false, priceOf: messagesPrice },
  'messages stream': { ...anthropic, path: PATHS.anthropic, isStream: true, priceOf: messagesPrice },
  // Three tokens at a hundredth of a unit each, raised to the minimum charge of one unit.
  embeddings: {
    dialect: 'openai',
    model: 'text-embedding-3-small',
    path: '/v1/embeddings',
    isStream: false,
    priceOf: () => 1,
  },
} as const satisfies Record<string, KindOfRequest>;
export type Kind = keyof typeof KINDS;

export interface Order {
  kind: Kind;
  /** A unique word in the prompt, by which a request is found in the upstream's journal. */
  mark: string;
  latencyMs: number;
  wordsPerSecond: number;
  /** The client disconnects this long after its request, or after the first byte. */
  leavesAfterMs?: number;
  leavesFrom?: 'the first byte';
}

/** What one client has seen. */
export interface Seen extends Order {
  status: number;
  requestId: string;
  received: string;
  /** Whether the complete reply arrived. */
  isWhole: boolean;
  hasLeft: boolean;
  askedAt: number;
  endedAt: number;
  /** Description for people. */
  failure?: string;
}

export const nothingSeen = (order: Order): Seen => ({
  ...order,
  status: 0,
  requestId: '',
  received: '',
  isWhole: false,
  hasLeft: false,
  askedAt: performance.now(),
  endedAt: Infinity,
});

export function bodyOf({ kind, mark, latencyMs, wordsPerSecond }: Order): object {
  const { model, isStream } = KINDS[kind];
  const settings = `tokens=${WORDS} latency=${latencyMs} tps=${isStream ? wordsPerSecond : 0}`;
  const prompt = `three plain ${mark} [[${settings}]]`;
  if (kind === 'embeddings') return { model, input: prompt };
  return { model, max_tokens: 100, stream: isStream, messages: [{ role: 'user', content: prompt }] };
}

export function isComplete({ kind, received }: Seen): boolean {
  const { isStream, dialect } = KINDS[kind];
  if (isStream) return isOver(received, dialect);
  try {
    JSON.parse(received);
    return true;
  } catch {
    return false;
  }
}

/** Aborts the request: at the planned time, or at the general timeout. */
function departureOf(seen: Seen): { signal: AbortSignal; onFirstByte(): void; cancel(): void } {
  const leaving = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const leaveAfter = (ms: number, isWish: boolean): void => {
    const leave = (): void => {
      seen.hasLeft = isWish;
      leaving.abort(new Error('no client waits that long'));
    };
    timers.push(setTimeout(leave, ms));
  };
  const { leavesAfterMs, leavesFrom } = seen;
  leaveAfter(PATIENCE_MS, false);
  if (leavesAfterMs !== undefined && leavesFrom === undefined) leaveAfter(leavesAfterMs, true);
  return {
    signal: leaving.signal,
    onFirstByte() {
      if (leavesAfterMs !== undefined && leavesFrom !== undefined) leaveAfter(leavesAfterMs, true);
    },
    cancel() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/**
 * The messages of a network error and its causes. Jest runs tests in another realm, so `instanceof Error` does not
 * work.
 */
function causesOf(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  const own = [code, message].filter(Boolean).join(' ');
  return cause ? `${own}: ${causesOf(cause)}` : own;
}

/**
 * Fills `seen` while the reply arrives, and calls `onChange` on every change. Never throws: every failure is recorded
 * in `seen`.
 */
export async function observe(
  seen: Seen,
  { url, key, onChange }: { url: string; key: string; onChange: () => void },
): Promise<void> {
  const { dialect, path } = KINDS[seen.kind];
  const leaving = departureOf(seen);
  try {
    const reply = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...keyHeader(dialect, key), 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(seen)),
      signal: leaving.signal,
    });
    seen.status = reply.status;
    seen.requestId = reply.headers.get('x-oneapi-request-id') ?? '';
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      if (seen.received === '') leaving.onFirstByte();
      seen.received += part.value;
      onChange();
    }
    seen.isWhole = reply.ok && isComplete(seen);
    if (!seen.isWhole) seen.failure = `${reply.status} ${seen.received.slice(-200)}`;
  } catch (error) {
    seen.failure = `${seen.status} ${causesOf(error)}`;
  } finally {
    leaving.cancel();
    seen.endedAt = performance.now();
    onChange();
  }
}

/** A small pseudo-random generator, so that a failure can be reproduced by its seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
