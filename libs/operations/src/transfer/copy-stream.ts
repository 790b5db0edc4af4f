import { once } from 'node:events';
import type { Client, Connection, Submittable } from 'pg';

/** What the driver hands to a statement that speaks COPY, beyond its published types. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** So much is held in memory before the other side has to wait. */
const HIGH_WATER_BYTES = 1024 * 1024;

/** The part of a statement's life that both directions share. */
abstract class CopyStatement implements Submittable {
  protected connection: CopyConnection | undefined;
  protected ended = false;
  protected failure: Error | undefined;
  private wake: () => void = () => undefined;

  constructor(private readonly text: string) {}

  submit(connection: Connection): void {
    this.connection = connection as CopyConnection;
    connection.query(this.text);
  }

  /** The driver tells these of every statement. */
  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.ended = true;
    this.changed();
  }

  handleError(error: Error): void {
    this.failure = error;
    this.ended = true;
    this.changed();
  }

  protected changed(): void {
    this.wake();
  }

  protected async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.ended) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.failure) throw this.failure;
  }
}

class CopyOut extends CopyStatement {
  private chunks: Buffer[] = [];
  private bytes = 0;

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    // The driver reuses its buffer.
    this.chunks.push(Buffer.from(chunk));
    this.bytes += chunk.length;
    if (this.bytes > HIGH_WATER_BYTES) this.connection?.stream.pause();
    this.changed();
  }

  async *read(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        await this.until(() => this.chunks.length > 0);
        if (this.chunks.length === 0) return;
        const taken = Buffer.concat(this.chunks);
        this.chunks = [];
        this.bytes = 0;
        this.connection?.stream.resume();
        yield taken;
      }
    } finally {
      this.connection?.stream.resume();
    }
  }
}

class CopyIn extends CopyStatement {
  private open = false;

  handleCopyInResponse(): void {
    this.open = true;
    this.changed();
  }

  async write(chunk: Buffer): Promise<void> {
    await this.until(() => this.open);
    const { connection } = this;
    if (!connection) return;
    connection.sendCopyFromChunk(chunk);
    if (connection.stream.writableLength > HIGH_WATER_BYTES) await once(connection.stream, 'drain');
  }

  async end(): Promise<void> {
    await this.until(() => this.open);
    this.connection?.endCopyFrom();
    await this.until(() => false);
  }

  async abort(reason: string): Promise<void> {
    try {
      await this.until(() => this.open);
      this.connection?.sendCopyFail(reason);
      await this.until(() => false);
    } catch {
      // The server's word about the end that was asked for.
    }
  }
}

/** The rows of a `copy … to stdout`, in pieces of any size. */
export const copyOut = (client: Client, text: string): AsyncGenerator<Buffer> => client.query(new CopyOut(text)).read();

/** Feeds a `copy … from stdin`. */
export async function copyIn(
  client: Client,
  text: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const statement = client.query(new CopyIn(text));
  try {
    for await (const chunk of chunks) await statement.write(chunk);
  } catch (error) {
    await statement.abort('the source failed');
    throw error;
  }
  await statement.end();
}
