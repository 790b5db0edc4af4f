import type { RawData, WebSocket } from 'ws';

/** Bytes waiting to be sent from which on nothing more is read from the other side. */
const HIGH_WATER = 1024 * 1024;

export interface Frame {
  data: Buffer;
  isBinary: boolean;
}

/**
 * Forwards messages in one direction and in order. `inspect` sees, and may replace, each message before it is
 * forwarded; while that takes time, or the receiver is slow, nothing more is read from the sender.
 */
export class FramePump {
  private readonly queue: Frame[] = [];
  private running: Promise<void> | undefined;
  private isOver = false;

  constructor(
    private readonly from: WebSocket,
    private readonly to: WebSocket,
    private readonly hooks: {
      /** Returns false to drop the message and end the session. May replace the frame's data. */
      inspect(frame: Frame): boolean | Promise<boolean>;
      /** Called with an unexpected error, so that the session can be ended. */
      failed(error: unknown): void;
    },
  ) {
    from.on('message', (data: RawData, isBinary: boolean) => {
      if (this.isOver) return;
      this.queue.push({ data: data as Buffer, isBinary });
      this.running ??= this.run()
        .catch((error: unknown) => hooks.failed(error))
        .finally(() => (this.running = undefined));
    });
  }

  /** Resolves when all messages received so far were forwarded. */
  async drained(): Promise<void> {
    await this.running;
  }

  /** Stops forwarding. */
  stop(): void {
    this.isOver = true;
    this.queue.length = 0;
  }

  private async run(): Promise<void> {
    this.from.pause();
    for (let frame = this.queue.shift(); frame; frame = this.queue.shift()) {
      const goesOn = this.hooks.inspect(frame);
      if (!(goesOn === true || (await goesOn))) return this.stop();
      if (this.isOver) return;
      await this.send(frame);
    }
    this.from.resume();
  }

  private async send({ data, isBinary }: Frame): Promise<void> {
    const { to } = this;
    if (to.readyState !== to.OPEN) return this.stop();
    if (to.bufferedAmount < HIGH_WATER) return to.send(data, { binary: isBinary });
    // `send` calls back with an error when the receiver is gone; that is handled by its `close` event.
    await new Promise<void>((sent) => to.send(data, { binary: isBinary }, () => sent()));
  }
}
