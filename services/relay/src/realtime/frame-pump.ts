import type { RawData, WebSocket } from 'ws';

/** What may wait to be sent before nothing more is read from the other side. */
const HIGH_WATER = 1024 * 1024;

export interface Frame {
  data: Buffer;
  isBinary: boolean;
}

/**
 * Carries messages one way, in their order and to the last byte as whoever looks at them leaves them. Each is looked at before it goes on;
 * while that takes a moment, or the receiver is slow, nothing more is read from the sender.
 */
export class FramePump {
  private readonly queue: Frame[] = [];
  private running: Promise<void> | undefined;
  private isOver = false;

  constructor(
    private readonly from: WebSocket,
    private readonly to: WebSocket,
    private readonly hooks: {
      /** False: the session ends, and the message goes nowhere. Other data than came may be put into its place. */
      look(frame: Frame): boolean | Promise<boolean>;
      /** A bug must not leave the session standing. */
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

  /** Once all that came has gone on. */
  async drained(): Promise<void> {
    await this.running;
  }

  /** Nothing goes on any more. */
  stop(): void {
    this.isOver = true;
    this.queue.length = 0;
  }

  private async run(): Promise<void> {
    this.from.pause();
    for (let frame = this.queue.shift(); frame; frame = this.queue.shift()) {
      const goesOn = this.hooks.look(frame);
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
    // Answered with an error when the receiver is gone, which its own end tells.
    await new Promise<void>((sent) => to.send(data, { binary: isBinary }, () => sent()));
  }
}
