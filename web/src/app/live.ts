import type { LiveKind } from '@tollgate/contracts/api/live';
import { baseApi } from '../api/base-api.js';
import { readLive } from '../api/live-stream.js';
import { liveClosed, liveHeard, liveLost, liveOpened } from './slices/live.js';
import { selectUser } from './slices/session.js';
import type { Store } from './store.js';

/** The cache tag that a change of each kind invalidates; RTK Query then fetches again what the page shows of it. */
const tags = { status: 'Status', user: 'Self', usage: 'Usage', channels: 'ChannelState' } as const satisfies Record<
  LiveKind,
  string
>;
const isKind = (value: unknown): value is LiveKind => typeof value === 'string' && Object.hasOwn(tags, value);

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
const LOST_MS = 60_000;
/** Shortest interval between two fetches caused by changes of one kind; a user has 180 calls in three minutes. */
export const PAUSE_MS = 5000;

/** Exponential backoff with jitter, so that the clients of a restarted server do not all reconnect at once. In milliseconds. */
export function retryDelay(failures: number, requestedMs = 0): number {
  const base = Math.min(LAST_RETRY_MS, Math.max(requestedMs, FIRST_RETRY_MS * 2 ** failures));
  return base * (0.5 + Math.random());
}

const kindsIn = (data: string): LiveKind[] => {
  const { changed } = JSON.parse(data) as { changed?: unknown };
  // A newer server may report kinds that this console does not have.
  return Array.isArray(changed) ? changed.filter(isKind) : [];
};

/** Publishes reported changes to the store: a kind at once, and the same kind again after `PAUSE_MS` at the earliest. */
class ChangePublisher {
  private readonly publishedAt = new Map<LiveKind, number>();
  /** Kinds that are not published yet, each with the time of its last report in milliseconds since the epoch. */
  private readonly waiting = new Map<LiveKind, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {}

  report(kinds: LiveKind[]): void {
    for (const kind of kinds) this.waiting.set(kind, Date.now());
    this.publish((kind) => this.waitOf(kind) <= 0);
    const waits = [...this.waiting.keys()].map((kind) => this.waitOf(kind));
    clearTimeout(this.timer);
    if (waits.length > 0) this.timer = setTimeout(() => this.report([]), Math.min(...waits));
  }

  /** Called before the stream is closed for a while: publishes the waiting changes instead of losing them. */
  flush(): void {
    clearTimeout(this.timer);
    this.publish(() => true);
  }

  /** Drops all changes when another user signs in, whom they do not concern. */
  forget(): void {
    clearTimeout(this.timer);
    this.waiting.clear();
    this.publishedAt.clear();
  }

  private waitOf(kind: LiveKind): number {
    return (this.publishedAt.get(kind) ?? -Infinity) + PAUSE_MS - performance.now();
  }

  private publish(isDue: (kind: LiveKind) => boolean): void {
    const due = [...this.waiting].filter(([kind]) => isDue(kind));
    if (due.length === 0) return;
    for (const [kind, at] of due) {
      this.waiting.delete(kind);
      this.publishedAt.set(kind, performance.now());
      this.store.dispatch(liveHeard({ kinds: [kind], at }));
    }
    this.store.dispatch(baseApi.util.invalidateTags(due.map(([kind]) => tags[kind])));
  }
}

/**
 * The live stream of this window. It is connected only while a user is signed in and the window is visible, so that hidden windows cost
 * nothing. No change is lost in between: the request says for how long nothing was received, and the server replies with what changed
 * since.
 */
class LiveConnection {
  /** User of the current stream; `undefined` while no stream is wanted. */
  private userId: number | undefined;
  private person: number | undefined;
  private running: AbortController | undefined;
  private lostTimer: ReturnType<typeof setTimeout> | undefined;
  /** Until when all changes are received, by `performance.now()`. 0 is the start of the page: everything on it was fetched later. */
  private completeUntil = 0;
  private wake: () => void = () => undefined;
  private readonly publisher: ChangePublisher;

  constructor(private readonly store: Store) {
    this.publisher = new ChangePublisher(store);
    this.person = selectUser(store.getState())?.id;
  }

  /** Opens, closes or keeps the stream, by the signed-in user and the visibility of the window. */
  update(): void {
    const person = selectUser(this.store.getState())?.id;
    // Signing in or out has emptied the cache, so nothing on the page is older than this moment.
    if (person !== this.person) {
      this.completeUntil = performance.now();
      this.publisher.forget();
    }
    this.person = person;
    const userId = document.visibilityState === 'visible' ? person : undefined;
    if (userId === this.userId) return;
    this.userId = userId;
    this.stop();
    if (userId !== undefined) this.start();
  }

  /** The browser is online again: retries without waiting for the end of the pause. */
  retryNow(): void {
    this.wake();
  }

  stop(): void {
    this.running?.abort();
    this.running = undefined;
    clearTimeout(this.lostTimer);
    this.publisher.flush();
    this.store.dispatch(liveClosed());
  }

  private start(): void {
    const running = new AbortController();
    this.running = running;
    this.startLossTimer();
    void this.run(running.signal);
  }

  private async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const end = await readLive(
        performance.now() - this.completeUntil,
        {
          opened: () => this.opened(),
          alive: () => (this.completeUntil = performance.now()),
          message: (data) => this.onMessage(data),
        },
        signal,
      );
      if (signal.aborted) return;
      if (end.opened) this.startLossTimer();
      this.store.dispatch(liveClosed());
      // The reply to `GET /api/user/self` decides whether the session has ended.
      if (end.status === 401) this.store.dispatch(baseApi.util.invalidateTags(['Self']));
      failures = end.opened ? 0 : failures + 1;
      await this.pause(retryDelay(failures, end.retryMs), signal);
    }
  }

  private opened(): void {
    clearTimeout(this.lostTimer);
    this.store.dispatch(liveOpened());
  }

  private onMessage(data: string): void {
    this.publisher.report(kindsIn(data));
  }

  private startLossTimer(): void {
    clearTimeout(this.lostTimer);
    this.lostTimer = setTimeout(() => this.store.dispatch(liveLost()), LOST_MS);
  }

  private pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.wake = wake;
      signal.addEventListener('abort', wake);
    });
  }
}

/** Opens and closes the live stream as users sign in and out and the window is shown and hidden. Returns the function that stops it. */
export function keepLive(store: Store): () => void {
  const connection = new LiveConnection(store);
  const update = (): void => connection.update();
  const retryNow = (): void => connection.retryNow();
  const unsubscribe = store.subscribe(update);
  document.addEventListener('visibilitychange', update);
  window.addEventListener('online', retryNow);
  update();
  return () => {
    unsubscribe();
    document.removeEventListener('visibilitychange', update);
    window.removeEventListener('online', retryNow);
    connection.stop();
  };
}
