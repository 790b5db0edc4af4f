import type { ServerResponse } from 'node:http';
import { nothing } from '../call/nothing.js';
import type { ReadOn } from './departure.js';
import type { SendHooks } from './upstream.client.js';

/**
 * Ends an upstream call when its client leaves: at once, or after the time for which it may be read on. The handlers
 * are local functions rather than members, because V8 moves functions assigned to members to the old generation at
 * once, where each would retain its whole request until the next full collection.
 */
export class ClientWatch implements SendHooks {
  /** Whether the request was sent, so that the upstream may be working on it. */
  wasSent = false;
  private stop = nothing;
  private timer: NodeJS.Timeout | undefined;
  private readonly onClose: () => void;

  constructor(
    private readonly response: ServerResponse,
    /** Called once, when the client leaves after the request was sent. */
    private readonly onLeft: () => ReadOn | undefined,
  ) {
    const onClose = (): void => this.leave();
    this.onClose = onClose;
    response.on('close', onClose);
  }

  abortable(stop: () => void): void {
    this.stop = stop;
    if (this.response.destroyed) stop();
  }

  sent(): void {
    this.wasSent = true;
  }

  abort(): void {
    this.stop();
  }

  /** Ends the watch; from then on the caller handles a leaving client. */
  release(): void {
    clearTimeout(this.timer);
    this.response.off('close', this.onClose);
  }

  private leave(): void {
    if (this.response.writableEnded) return;
    const bound = this.wasSent ? this.onLeft() : undefined;
    if (bound) this.timer = setTimeout(() => this.abort(), bound.ms);
    else this.abort();
  }
}
