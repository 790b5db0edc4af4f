import type { ServerResponse } from 'node:http';
import { nothing } from '../call/nothing.js';
import type { ReadOn } from './departure.js';
import type { SendHooks } from './upstream.client.js';

/**
 * Ends an upstream call when its client leaves: at once, or after the time for which it may be read on. No function is written out as a member:
 * V8 makes such ones old at once, and an old one keeps its whole request until the next full collection, however dead both are.
 */
export class ClientWatch implements SendHooks {
  /** The upstream may work for the request. */
  wasSent = false;
  private stop = nothing;
  private timer: NodeJS.Timeout | undefined;
  private readonly onClose: () => void;

  constructor(
    private readonly response: ServerResponse,
    /** Called once, when the client leaves an upstream that works. */
    private readonly onLeft: () => ReadOn | undefined,
  ) {
    const onClose = (): void => this.leave();
    this.onClose = onClose;
    response.once('close', onClose);
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

  /** Ends the watch: from now on somebody else looks after the client. */
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
