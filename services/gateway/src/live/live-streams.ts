import { Injectable } from '@nestjs/common';
import type { OwnedRouteRow } from '@tollgate/contracts';
import { liveQuerySchema } from '@tollgate/contracts/api/live';
import { AppError, type Caller, inFreshContext, Lifecycle, Logger, Metrics } from '@tollgate/chassis';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../session/authenticator.js';
import { LiveFeed } from './live-feed.js';
import { LiveStream } from './live-stream.js';
import { type Change, concerns, type Listener } from './recent-changes.js';

/** Maximum of streams per user in one process; each window of a browser needs one. */
const MAX_PER_PERSON = 8;
const MAX_STREAMS = 5000;
/** Interval of the checks that find a lost session or a changed role when its broadcast was missed. */
const CHECK_MS = 30_000;
/** Number of checks in a row that may fail because identity is unreachable, before the stream ends. */
const MAX_FAILED_CHECKS = 4;
const RETRY_SECONDS = { full: 30, away: 5 };

interface Watcher extends Listener {
  stream: LiveStream;
  request: FastifyRequest;
  row: OwnedRouteRow;
  /** Checks since the last one that got an answer. */
  failedChecks: number;
  timer: NodeJS.Timeout;
}

/**
 * The open live streams of this process. Each belongs to a signed-in user, with the rights the user had when it began.
 */
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
      receive: (change) => this.receive(change),
      recheck: (userId) => this.recheck(userId),
      broadcastsLost: () => this.endAll(),
    });
    lifecycle.onLeave(() => this.endAll());
    lifecycle.onDrain(() => this.endAll());
    metrics.measured('tollgate_gateway_live_streams', 'Open streams of live updates.', [], () =>
      Promise.resolve([{ labels: {}, value: this.watchers.size }]),
    );
  }

  /** Throws when the limits are reached or while broadcasts are being lost. */
  open(request: FastifyRequest, reply: FastifyReply, row: OwnedRouteRow, caller: Caller): void {
    const { userId, role } = caller;
    // The client has left during authentication; there will be no `close` event.
    if (reply.raw.destroyed) return;
    this.requireRoom(userId);
    const { missed } = liveQuerySchema.parse(request.query);
    reply.hijack();
    const timer = inFreshContext(() => setInterval(() => void this.checkSession(watcher), CHECK_MS));
    timer.unref();
    const watcher: Watcher = { userId, role, stream: new LiveStream(reply.raw), request, row, failedChecks: 0, timer };
    // Registered before the missed kinds are determined, so that no change falls between the two.
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

  private receive(change: Change): void {
    const near = change.userId === undefined ? this.watchers : this.of(change.userId);
    for (const watcher of near) if (concerns(change, watcher)) watcher.stream.announce(change.kind);
  }

  private recheck(userId: number): void {
    for (const watcher of this.of(userId)) void this.checkSession(watcher);
  }

  /**
   * Ends the stream when its session has ended or the user's role has changed; the console then finds out what it may
   * still see.
   */
  private async checkSession(watcher: Watcher): Promise<void> {
    try {
      const { userId, role } = await this.authenticator.require(watcher.request, watcher.row);
      watcher.failedChecks = 0;
      if (userId !== watcher.userId || role !== watcher.role) this.end(watcher);
    } catch (error) {
      watcher.failedChecks += 1;
      const isOutage = !(error instanceof AppError) || error.kind === 'unavailable';
      if (isOutage) this.logger.debug('a live stream could not be proven', { error, requestId: watcher.request.id });
      if (!isOutage || watcher.failedChecks >= MAX_FAILED_CHECKS) this.end(watcher);
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
