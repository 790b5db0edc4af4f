import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { Clock, Host, Lifecycle, Logger, Metrics, noteSwitched, OptionStore, type Upgrade } from '@tollgate/chassis';
import { quotaDisplayOf } from '@tollgate/pricing';
import { type WebSocket, WebSocketServer } from 'ws';
import { exhaustedFaultOf } from '../retry/attempt-failure.js';
import { Refusal, toRefusal } from '../call/refusal.js';
import { LAST_RECORDS_MS, Running } from '../call/running.js';
import { Admission } from '../admission/admission.js';
import { secretsOfChannel } from '../upstream/channel-target.js';
import { type Charged, Settlement } from '../settlement/settlement.js';
import { TokenCounter } from '../usage/token-counter.js';
import { Dialer, type DialRequest, MAX_FRAME } from './dialer.js';
import { errorEvent } from './error-event.js';
import { goodbye, RealtimeSession } from './realtime-session.js';
import { SessionBill } from './session-bill.js';

const PROTOCOL = 'realtime';
const REFUSED = 1008;
const FAILED = 1011;
/**
 * Sessions are ended this many milliseconds before open requests are cut, so that their clients still receive the
 * reason.
 */
const LAST_WORDS_MS = 1500;

interface SessionHooks {
  /** Called once an upstream has accepted the session. */
  succeeded(): void;
  /** Why the caller may not call any more; `undefined` while it may. */
  refusal(): Promise<Refusal | undefined>;
  /** Called with the reason why there is no session, where no record reports it. */
  refused(refusal: Refusal): void;
}

interface ServedHooks extends SessionHooks {
  /** Called once an upstream has accepted the session, or none will. */
  known(): void;
}

/** All realtime sessions of this process, from the handshake to the record. */
@Injectable()
export class RealtimeSessions {
  private readonly server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME,
    perMessageDeflate: false,
    // Other offered protocols are not echoed, because one of them contains the key.
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  private readonly open = new Set<RealtimeSession>();
  private readonly byUser = new Map<number, number>();
  private readonly running: Running;
  private isLeaving = false;

  constructor(
    private readonly admission: Admission,
    private readonly dialer: Dialer,
    private readonly settlement: Settlement,
    private readonly tokens: TokenCounter,
    private readonly options: OptionStore,
    private readonly host: Host,
    clock: Clock,
    private readonly logger: Logger,
    metrics: Metrics,
    lifecycle: Lifecycle,
  ) {
    this.running = new Running(clock);
    metrics.reading('tollgate_relay_realtime_sessions', 'Open realtime sessions.', () => this.running.count);
    lifecycle.onLeave(() => this.leave());
    lifecycle.onDrain(() => this.end());
  }

  /** Throws a refusal when the limit of sessions, of the process or of the user, is reached. */
  assertRoom(userId: number): void {
    const { TOLLGATE_REALTIME_SESSIONS: most, TOLLGATE_REALTIME_SESSIONS_PER_USER: ofUser } = this.host.env;
    if (this.isLeaving) throw new Refusal(503, '服务正在停止，请重新连接', 'relay_stopped', { retryAfter: 1 });
    if (this.running.count >= most)
      throw new Refusal(503, '实时会话数已达上限，请稍后再试', 'realtime_full', { retryAfter: 5 });
    if ((this.byUser.get(userId) ?? 0) >= ofUser)
      throw new Refusal(429, `实时会话数已达上限（每位用户 ${ofUser} 个）`, 'realtime_full', { retryAfter: 5 });
  }

  /**
   * Upgrades the connection and serves the session. Resolves once it is known whether an upstream accepts the session;
   * never rejects.
   */
  begin(
    call: DialRequest,
    candidates: readonly RoutedChannel[],
    { request, response, socket, head }: Upgrade & { response: ServerResponse },
    hooks: SessionHooks,
  ): Promise<void> {
    let isKnown = Promise.resolve();
    const addRequestId = (headers: string[], upgrade: unknown): void => {
      if (upgrade === request) headers.push(`X-Oneapi-Request-Id: ${call.requestId}`);
    };
    this.server.on('headers', addRequestId);
    try {
      this.server.handleUpgrade(request, socket, head, (client) => {
        noteSwitched(response);
        isKnown = new Promise((resolve) => {
          const served = { ...hooks, known: resolve };
          void this.counted(call.user.id, () => this.serve(call, candidates, client, served));
        });
      });
    } finally {
      this.server.off('headers', addRequestId);
    }
    return isKnown;
  }

  private async counted(userId: number, work: () => Promise<void>): Promise<void> {
    this.note(userId, 1);
    try {
      await this.running.during(work);
    } catch (error) {
      this.logger.error('a realtime session failed', { error });
    } finally {
      this.note(userId, -1);
    }
  }

  private note(userId: number, by: number): void {
    const count = (this.byUser.get(userId) ?? 0) + by;
    if (count > 0) this.byUser.set(userId, count);
    else this.byUser.delete(userId);
  }

  private async serve(
    call: DialRequest,
    candidates: readonly RoutedChannel[],
    client: WebSocket,
    hooks: ServedHooks,
  ): Promise<void> {
    client.pause();
    client.on('error', (error) =>
      this.logger.debug('a client of a session failed', { error, requestId: call.requestId }),
    );
    let charged: Charged | undefined;
    const attempts: Attempt[] = [];
    try {
      charged = await this.admission.admitSession(call);
      await this.connect(call, { candidates, client, charged, attempts }, hooks);
    } catch (error) {
      hooks.known();
      await this.refuse(call, { client, error, charged, attempts, hooks });
    } finally {
      charged?.hold.settle(0);
    }
  }

  private async connect(
    call: DialRequest,
    parts: { candidates: readonly RoutedChannel[]; client: WebSocket; charged: Charged; attempts: Attempt[] },
    hooks: ServedHooks,
  ): Promise<void> {
    const { candidates, client, charged, attempts } = parts;
    const left = new AbortController();
    const onLeft = (): void => left.abort(new Error('the client left'));
    client.once('close', onLeft);
    const { socket: upstream, route, channel } = await this.dialer.dial(call, candidates, attempts, left.signal);
    client.off('close', onLeft);
    upstream.on('error', (error) =>
      this.logger.debug('an upstream of a session failed', { error, requestId: call.requestId }),
    );
    hooks.succeeded();
    hooks.known();
    const { settlement, tokens } = this;
    const leastAnswer = this.options.get('PreConsumedQuota');
    const bill = new SessionBill({ call, charged, route, settlement, tokens, leastAnswer });
    const { TOLLGATE_STREAM_IDLE_SECONDS: silence, TOLLGATE_REALTIME_SESSION_MINUTES: age } = this.host.env;
    const session = new RealtimeSession({
      ...{ requestId: call.requestId, client, upstream, bill, secrets: secretsOfChannel(channel) },
      limits: { silence: silence * 1000, age: age * 60_000 },
      exhausted: () => exhaustedFaultOf(charged.hold, quotaDisplayOf(this.options)),
      refusal: () => hooks.refusal(),
      failed: (error) => this.logger.error('a realtime session failed', { error, requestId: call.requestId }),
    });
    this.open.add(session);
    if (this.isLeaving) session.leave();
    await session.run().finally(() => this.open.delete(session));
  }

  /** Sends an error event instead of an answer. If the price was already known, the failure is also recorded. */
  private async refuse(
    call: DialRequest,
    {
      client,
      error,
      charged,
      attempts,
      hooks,
    }: { client: WebSocket; error: unknown; charged: Charged | undefined; attempts: Attempt[]; hooks: SessionHooks },
  ): Promise<void> {
    const refusal = toRefusal(error);
    if (refusal.error.code === 'internal_error')
      this.logger.error('relay failed', { error, requestId: call.requestId });
    const { message, code, type } = refusal.error;
    const hasLeft = client.readyState !== client.OPEN;
    if (charged) {
      const route = { attempts, channelId: attempts.at(-1)?.channelId ?? 0 };
      const recordedError = hasLeft ? undefined : { status: refusal.status, code, type, message };
      await this.settlement.undelivered(call, charged, route, recordedError);
    } else hooks.refused(refusal);
    if (!hasLeft) client.send(errorEvent(refusal.error, call.requestId));
    client.close(refusal.status < 500 ? REFUSED : FAILED);
    await goodbye(client);
  }

  private leave(): void {
    this.isLeaving = true;
    for (const session of this.open) session.leave();
    const { TOLLGATE_DRAIN_SECONDS: drain, TOLLGATE_NOTICE_SECONDS: notice, KAFKA_BROKERS: brokers } = this.host.env;
    const seconds = drain + (brokers === undefined ? 0 : notice);
    setTimeout(() => this.cut(), Math.max(0, seconds * 1000 - LAST_WORDS_MS)).unref();
  }

  private cut(): void {
    for (const session of this.open) session.cut();
  }

  /** Waits until the last records are written, before the spool is closed. */
  private async end(): Promise<void> {
    this.cut();
    const { running } = this;
    await running.idle(LAST_RECORDS_MS);
    if (running.count > 0) this.logger.warn('sessions still run while the relay stops', { running: running.count });
  }
}
