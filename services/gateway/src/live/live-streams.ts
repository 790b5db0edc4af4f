import { Injectable } from '@nestjs/common';
import type { OwnedRouteRow } from '@tollgate/contracts';
import { liveQuerySchema } from '@tollgate/contracts/api/live';
import { AppError, type Caller, inFreshContext, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../session/authenticator.js';
import { LiveFeed } from './live-feed.js';
import { LiveStream } from './live-stream.js';
import { type Change, concerns, type Listener } from './recent-changes.js';

/** Streams of one person in one process; each window of a browser needs one. */
const MAX_PER_PERSON = 8;
const MAX_STREAMS = 5000;
/** What the broadcasts of a lost session or a changed role do at once happens after this at the latest. */
const PROOF_MS = 30_000;
/** How many checks of a session in a row may find identity away before its stream ends. */
const MAX_UNPROVEN = 4;
const RETRY_SECONDS = { full: 30, away: 5 };

interface Watcher extends Listener {
  stream: LiveStream;
  request: FastifyRequest;
  row: OwnedRouteRow;
  /** Proofs since the last one that came to an answer. */
  unproven: number;
  timer: NodeJS.Timeout;
}

/** The open streams of live updates of this process, each for one signed-in person with the rights of the moment it began. */
@Injectable()
export class LiveStreams {
  private readonly watchers = new Set<Watcher>();
  private readonly byUser = new Map<number, Set<Watcher>>();

  constructor(
    private readonly feed: LiveFeed,
    private readonly authenticator: Authenticator,
    private readonly logger: Logger,
    lifecycle: Lifecycle,
    metrics: Metrics,
  ) {
    feed.attach({
      hear: (change) => this.hear(change),
      doubt: (userId) => this.doubt(userId),
      lose: () => this.endAll(),
    });
    lifecycle.onLeave(() => this.endAll());
    lifecycle.onDrain(() => this.endAll());
    metrics.measured('tollgate_gateway_live_streams', 'Open streams of live updates.', [], () =>
      Promise.resolve([{ labels: {}, value: this.watchers.size }]),
    );
  }

  /** Throws where there is no room, or nothing to tell. */
  open(request: FastifyRequest, reply: FastifyReply, row: OwnedRouteRow, caller: Caller): void {
    const { userId, role } = caller;
    // Who left meanwhile closes nothing any more.
    if (reply.raw.destroyed) return;
    this.requireRoom(userId);
    const { missed } = liveQuerySchema.parse(request.query);
    reply.hijack();
    const timer = inFreshContext(() => setInterval(() => void this.prove(watcher), PROOF_MS));
    timer.unref();
    const watcher: Watcher = { userId, role, stream: new LiveStream(reply.raw), request, row, unproven: 0, timer };
    // First, so that nothing falls between what was missed and what is heard.
    this.keep(watcher);
    reply.raw.once('close', () => this.drop(watcher));
    watcher.stream.begin(request.id, this.feed.missedIn(missed, watcher));
  }

  private requireRoom(userId: number): void {
    if (!this.feed.isWhole || this.watchers.size >= MAX_STREAMS)
      throw new AppError('unavailable', 'service-unreachable', '服务暂不可用，请稍后重试', {
        retryAfter: RETRY_SECONDS.away,
      });
    if (this.of(userId).length >= MAX_PER_PERSON)
      throw new AppError('rate-limited', 'too-many-requests', '请求次数过多，请稍后再试！', {
        retryAfter: RETRY_SECONDS.full,
      });
  }

  private hear(change: Change): void {
    const near = change.userId === undefined ? this.watchers : this.of(change.userId);
    for (const watcher of near) if (concerns(change, watcher)) watcher.stream.hear(change.kind);
  }

  private doubt(userId: number): void {
    for (const watcher of this.of(userId)) void this.prove(watcher);
  }

  /** A stream ends with the session or the role it began with; the console then finds out what it may still see. */
  private async prove(watcher: Watcher): Promise<void> {
    try {
      const { userId, role } = await this.authenticator.require(watcher.request, watcher.row);
      watcher.unproven = 0;
      if (userId !== watcher.userId || role !== watcher.role) this.end(watcher);
    } catch (error) {
      watcher.unproven += 1;
      const isOutage = !(error instanceof AppError) || error.kind === 'unavailable';
      if (isOutage) this.logger.debug('a live stream could not be proven', { error, requestId: watcher.request.id });
      if (!isOutage || watcher.unproven >= MAX_UNPROVEN) this.end(watcher);
    }
  }

  private of(userId: number): Watcher[] {
    return [...(this.byUser.get(userId) ?? [])];
  }

  private keep(watcher: Watcher): void {
    this.watchers.add(watcher);
    const own = this.byUser.get(watcher.userId) ?? new Set();
    this.byUser.set(watcher.userId, own.add(watcher));
  }

  private endAll(): void {
    for (const watcher of [...this.watchers]) this.end(watcher);
  }

  private end(watcher: Watcher): void {
    this.drop(watcher);
    watcher.stream.end();
  }

  private drop(watcher: Watcher): void {
    clearInterval(watcher.timer);
    this.watchers.delete(watcher);
    const own = this.byUser.get(watcher.userId);
    own?.delete(watcher);
    if (own?.size === 0) this.byUser.delete(watcher.userId);
  }
}
