import type { RequestConsumed } from '@tollgate/contracts';
import { type ClientError, maskedError, maskSecrets } from '@tollgate/providers';
import type { WebSocket } from 'ws';
import type { Refusal } from '../call/refusal.js';
import { cutFault } from '../retry/attempt-failure.js';
import { errorEvent } from './error-event.js';
import { type Frame, FramePump } from './frame-pump.js';
import { keepAlive } from './heartbeat.js';
import type { SessionBill } from './session-bill.js';

const PROGRESS_MS = 200;
/**
 * How often the caller's permission is checked again, in milliseconds. The check only reads memory unless something
 * changed.
 */
const RECHECK_MS = 2000;
/** How long a peer may take to answer a close frame, in milliseconds. */
const GOODBYE_MS = 5000;

/** Close codes of RFC 6455, 7.4.1. */
const CloseCode = {
  normal: 1000,
  none: 1005,
  broken: 1006,
  tooLarge: 1009,
  failed: 1011,
  restart: 1012,
  refused: 1008,
};

/** Why a session ended: the outcome for the record, and the close code, reason and error for the client. */
interface End {
  outcome: RequestConsumed['outcome'];
  code: number;
  reason?: string;
  error?: ClientError & { status: number };
}

const internal: End['error'] = {
  ...{ status: 500, message: '系统内部错误，请联系管理员', type: 'new_api_error', code: 'internal_error' },
};
const stopping: End['error'] = {
  ...{ status: 503, message: '服务正在停止，请重新连接', type: 'new_api_error', code: 'relay_stopped' },
};
const tooOld: End['error'] = {
  ...{ status: 408, message: '会话已达到最长时间，请重新连接', type: 'new_api_error', code: 'session_expired' },
};

interface SessionParts {
  requestId: string;
  client: WebSocket;
  upstream: WebSocket;
  bill: SessionBill;
  secrets: readonly string[];
  /** Milliseconds: `silence` until a peer counts as gone, `age` of the whole session. */
  limits: { silence: number; age: number };
  /** The error of a session that its quota does not pay for any longer. */
  exhausted(): ClientError;
  /** Why the caller may not call any more; `undefined` while it may. */
  refusal(): Promise<Refusal | undefined>;
  failed(error: unknown): void;
}

/** Connects one client and one upstream until one of them closes, or the quota is used up. */
export class RealtimeSession {
  private readonly ended = Promise.withResolvers<End>();
  private isLeaving = false;

  constructor(private readonly parts: SessionParts) {}

  /** The process is about to stop: ends the session as soon as no answer is in progress. */
  leave(): void {
    this.isLeaving = true;
    if (!this.parts.bill.isAnswering) this.end({ outcome: 'completed', code: CloseCode.restart, error: stopping });
  }

  /** Ends the session at once, because the process stops. */
  cut(): void {
    this.end({ outcome: 'interrupted', code: CloseCode.restart, error: stopping });
  }

  /** Resolves when both sides are closed and the record is written. Never rejects. */
  async run(): Promise<void> {
    const { client, upstream, bill, limits, failed } = this.parts;
    const end = (error: unknown): void => {
      failed(error);
      this.end({ outcome: 'upstream_cut', code: CloseCode.failed, error: internal });
    };
    const up = new FramePump(client, upstream, {
      // Binary messages are inspected too, because an upstream may accept events in them.
      inspect: ({ data }) => this.paid(bill.sent(data)),
      failed: end,
    });
    const down = new FramePump(upstream, client, {
      inspect: (frame) => this.received(frame),
      failed: end,
    });
    client.once('close', (code) => this.clientLeft(code));
    upstream.once('close', (code, reason) => void down.drained().then(() => this.upstreamLeft(code, reason)));
    const stops = [
      ...[client, upstream].map((socket) => keepAlive(socket, limits.silence)),
      ...[this.watch(), this.recheck(), this.expire()],
    ];
    for (const socket of [client, upstream]) socket.resume();
    if (client.readyState !== client.OPEN) this.clientLeft(CloseCode.broken);
    const ending = await this.ended.promise;
    up.stop();
    if (ending.outcome !== 'completed') down.stop();
    for (const stop of stops) stop();
    await this.finish(ending).catch(failed);
  }

  private end(ending: End): void {
    this.ended.resolve(ending);
  }

  private clientLeft(code: number): void {
    const isAnswering = this.parts.bill.isAnswering;
    this.end({ outcome: isAnswering ? 'client_abort' : 'completed', code: sendable(code) });
  }

  private upstreamLeft(code: number, reason: Buffer): void {
    const text = maskSecrets(reason.toString('utf8'), this.parts.secrets);
    const isProper = (code === CloseCode.normal || code === CloseCode.none) && !this.parts.bill.isAnswering;
    this.end({
      outcome: isProper ? 'completed' : 'upstream_cut',
      code: code === CloseCode.broken ? CloseCode.failed : sendable(code),
      reason: text,
      ...(!isProper && {
        error: { ...cutFault, status: 200, ...(text && { message: `${cutFault.message}: ${text}` }) },
      }),
    });
  }

  private async received(frame: Frame): Promise<boolean> {
    const isPaid = await this.paid(this.parts.bill.received(frame.data));
    frame.data = maskedError(frame.data, this.parts.secrets);
    // The current message is forwarded first.
    if (isPaid && this.isLeaving) setImmediate(() => this.leave());
    return isPaid;
  }

  private paid(paid: boolean | Promise<boolean>): boolean | Promise<boolean> {
    if (paid === true) return true;
    return Promise.resolve(paid).then((goesOn) => {
      if (!goesOn)
        this.end({
          outcome: 'quota_exhausted',
          code: CloseCode.refused,
          error: { ...this.parts.exhausted(), status: 403 },
        });
      return goesOn;
    });
  }

  private watch(): () => void {
    const timer = setInterval(() => void this.parts.bill.noteProgress().catch(this.parts.failed), PROGRESS_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Ends the session when its key was deleted or its user banned. What was used until then is charged. */
  private recheck(): () => void {
    const { bill, failed, refusal } = this.parts;
    const check = async (): Promise<void> => {
      const refused = await refusal();
      if (!refused) return;
      const error = { ...refused.error, status: refused.status };
      this.end({ outcome: bill.isAnswering ? 'client_abort' : 'completed', code: CloseCode.refused, error });
    };
    const timer = setInterval(() => void check().catch(failed), RECHECK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  private expire(): () => void {
    const timer = setTimeout(
      () => this.end({ outcome: 'completed', code: CloseCode.normal, error: tooOld }),
      this.parts.limits.age,
    );
    timer.unref();
    return () => clearTimeout(timer);
  }

  /** Writes the record before the connections are closed. */
  private async finish({ outcome, code, reason = '', error }: End): Promise<void> {
    const { client, upstream, bill, requestId } = this.parts;
    upstream.close(CloseCode.normal);
    const recordedError = error &&
      outcome !== 'completed' && { status: error.status, code: error.code, type: error.type, message: error.message };
    try {
      await bill.close(outcome, recordedError || undefined);
    } finally {
      if (error && client.readyState === client.OPEN) client.send(errorEvent(error, requestId));
      client.close(code, cutReason(reason));
      await Promise.all([client, upstream].map(goodbye));
    }
  }
}

/** Some close codes may be received but not sent; they are replaced by 1000. */
const sendable = (code: number): number =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
    ? code
    : CloseCode.normal;

/** At most 123 bytes (RFC 6455), cut between whole characters. */
function cutReason(reason: string): string {
  let cut = reason.slice(0, 123);
  while (Buffer.byteLength(cut) > 123) cut = cut.slice(0, -1);
  return cut;
}

/** Waits for the peer's close frame, and terminates the connection of a peer that does not send one in time. */
export async function goodbye(socket: WebSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return;
  // A paused socket would not receive the close frame.
  socket.resume();
  const timer = setTimeout(() => socket.terminate(), GOODBYE_MS);
  await new Promise((closed) => socket.once('close', closed));
  clearTimeout(timer);
}
