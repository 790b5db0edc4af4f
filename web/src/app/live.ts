import type { LiveKind } from '@tollgate/contracts/api/live';
import { baseApi } from '../api/base-api.js';
import { readLive } from '../api/live-stream.js';
import { liveClosed, liveHeard, liveLost, liveOpened } from './slices/live.js';
import { selectUser } from './slices/session.js';
import type { Store } from './store.js';

/** What to ask again, if anything on the page shows it. */
const tags = { status: 'Status', user: 'Self', usage: 'Usage', channels: 'ChannelState' } as const satisfies Record<
  LiveKind,
  string
>;
const isKind = (value: unknown): value is LiveKind => typeof value === 'string' && Object.hasOwn(tags, value);

const FIRST_RETRY_MS = 1000;
const LAST_RETRY_MS = 60_000;
const LOST_MS = 60_000;
/** Under traffic a page asks again so often at most; a person has 180 calls in three minutes. */
export const PAUSE_MS = 5000;

/** Later and later, and never all at once: a server that comes back meets its readers one by one. */
export function retryDelay(failures: number, wished = 0): number {
  const base = Math.min(LAST_RETRY_MS, Math.max(wished, FIRST_RETRY_MS * 2 ** failures));
  return base * (0.5 + Math.random());
}

const kindsIn = (data: string): LiveKind[] => {
  const { changed } = JSON.parse(data) as { changed?: unknown };
  // A newer server may know more kinds.
  return Array.isArray(changed) ? changed.filter(isKind) : [];
};

/** Tells the page at once, and of what goes on and on after every pause. */
class News {
  private readonly toldAt = new Map<LiveKind, number>();
  /** What is not told yet, and when it was last heard. */
  private readonly waiting = new Map<LiveKind, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {}

  hear(kinds: LiveKind[]): void {
    for (const kind of kinds) this.waiting.set(kind, Date.now());
    this.tell((kind) => this.restOf(kind) <= 0);
    const rests = [...this.waiting.keys()].map((kind) => this.restOf(kind));
    clearTimeout(this.timer);
    if (rests.length > 0) this.timer = setTimeout(() => this.hear([]), Math.min(...rests));
  }

  /** Nobody will listen for a while: what was heard must not be lost. */
  flush(): void {
    clearTimeout(this.timer);
    this.tell(() => true);
  }

  /** It concerned somebody who is gone. */
  forget(): void {
    clearTimeout(this.timer);
    this.waiting.clear();
    this.toldAt.clear();
  }

  private restOf(kind: LiveKind): number {
    return (this.toldAt.get(kind) ?? -Infinity) + PAUSE_MS - performance.now();
  }

  private tell(isDue: (kind: LiveKind) => boolean): void {
    const due = [...this.waiting].filter(([kind]) => isDue(kind));
    if (due.length === 0) return;
    for (const [kind, at] of due) {
      this.waiting.delete(kind);
      this.toldAt.set(kind, performance.now());
      this.store.dispatch(liveHeard({ kinds: [kind], at }));
    }
    this.store.dispatch(baseApi.util.invalidateTags(due.map(([kind]) => tags[kind])));
  }
}

/**
 * The connection of this window: there while somebody is signed in and the window is looked at, so that hidden ones cost nothing.
 * What happened in between is not lost: the server is told for how long nothing was heard, and says what changed since.
 */
class LiveConnection {
  /** Who the stream is for; undefined while there shall be none. */
  private userId: number | undefined;
  private person: number | undefined;
  private running: AbortController | undefined;
  private lostTimer: ReturnType<typeof setTimeout> | undefined;
  /** By the clock of the page, which began with it: what the page has asked for is younger than that. */
  private wholeUntil = 0;
  private wake: () => void = () => undefined;
  private readonly news: News;

  constructor(private readonly store: Store) {
    this.news = new News(store);
    this.person = selectUser(store.getState())?.id;
  }

  /** Begins, ends or leaves it as it is. */
  look(): void {
    const person = selectUser(this.store.getState())?.id;
    // All that the page knew was forgotten at this moment, and nothing is older.
    if (person !== this.person) {
      this.wholeUntil = performance.now();
      this.news.forget();
    }
    this.person = person;
    const userId = document.visibilityState === 'visible' ? person : undefined;
    if (userId === this.userId) return;
    this.userId = userId;
    this.stop();
    if (userId !== undefined) this.start();
  }

  /** The network is there again. */
  hurry(): void {
    this.wake();
  }

  stop(): void {
    this.running?.abort();
    this.running = undefined;
    clearTimeout(this.lostTimer);
    this.news.flush();
    this.store.dispatch(liveClosed());
  }

  private start(): void {
    const running = new AbortController();
    this.running = running;
    this.expectLoss();
    void this.run(running.signal);
  }

  private async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const end = await readLive(
        performance.now() - this.wholeUntil,
        {
          opened: () => this.opened(),
          alive: () => (this.wholeUntil = performance.now()),
          message: (data) => this.hear(data),
        },
        signal,
      );
      if (signal.aborted) return;
      if (end.opened) this.expectLoss();
      this.store.dispatch(liveClosed());
      // The answer to this says what has become of the session.
      if (end.status === 401) this.store.dispatch(baseApi.util.invalidateTags(['Self']));
      failures = end.opened ? 0 : failures + 1;
      await this.pause(retryDelay(failures, end.retryMs), signal);
    }
  }

  private opened(): void {
    clearTimeout(this.lostTimer);
    this.store.dispatch(liveOpened());
  }

  private hear(data: string): void {
    this.news.hear(kindsIn(data));
  }

  private expectLoss(): void {
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

/** Follows who is signed in and whether the window is looked at. Answers the function that ends it. */
export function keepLive(store: Store): () => void {
  const connection = new LiveConnection(store);
  const look = (): void => connection.look();
  const hurry = (): void => connection.hurry();
  const leave = store.subscribe(look);
  document.addEventListener('visibilitychange', look);
  window.addEventListener('online', hurry);
  look();
  return () => {
    leave();
    document.removeEventListener('visibilitychange', look);
    window.removeEventListener('online', hurry);
    connection.stop();
  };
}
