import type { ServerResponse } from 'node:http';
import type { ReadOn } from './departure.js';
import type { SendHooks } from './upstream.client.js';

/** Ends an upstream call when its client leaves: at once, or after the time for which it may be read on. */
export class ClientWatch implements SendHooks {
  /** The upstream may work for the request. */
  wasSent = false;
  private stop: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly onClose = (): void => {
    if (this.response.writableEnded) return;
    const bound = this.wasSent ? this.onLeft() : undefined;
    if (bound) this.timer = setTimeout(() => this.abort(), bound.ms);
    else this.abort();
  };

  constructor(
    private readonly response: ServerResponse,
    /** Called once, when the client leaves an upstream that works. */
    private readonly onLeft: () => ReadOn | undefined,
  ) {
    response.once('close', this.onClose);
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

  /** From now on somebody else looks after the client. */
  release(): void {
    clearTimeout(this.timer);
    this.response.off('close', this.onClose);
  }
}
