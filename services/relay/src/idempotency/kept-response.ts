import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** An answer as a client got it. */
export interface KeptAnswer {
  status: number;
  headers: OutgoingHttpHeaders;
  /** Undefined: it was larger than may be kept. */
  body: Buffer | undefined;
}

export interface KeepingHooks {
  /** Bytes of an answer that is kept. */
  maxBytes: number;
  /** Before the client sees the end; never rejects. */
  keep(answer: KeptAnswer): Promise<void>;
}

/**
 * The answer to a call that may be repeated: it goes to the client as it comes, and is kept beside. A client that leaves does not end the
 * call, because it will ask again and must find the answer; only one that is too large to be kept ends with its client as any other.
 */
export class KeptResponse extends ServerResponse {
  private readonly pieces: Buffer[] = [];
  private bytes = 0;
  private sentHeaders: OutgoingHttpHeaders = {};
  private hasHead = false;
  private hasEnded = false;
  /** Resolves when an answer that came to its end has been put away. */
  kept: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: ServerResponse,
    private readonly hooks: KeepingHooks,
  ) {
    super(client.req);
    // Of Node's own class these are accessors of the prototype.
    Object.defineProperties(this, {
      headersSent: { get: () => this.hasHead },
      writableEnded: { get: () => this.hasEnded },
      writableFinished: { get: () => this.hasEnded && (client.writableFinished || client.destroyed) },
      writableNeedDrain: { get: () => !client.destroyed && client.writableNeedDrain },
      writableLength: { get: () => (client.destroyed ? 0 : client.writableLength) },
    });
    client.on('drain', () => this.emit('drain'));
    client.once('close', () => this.clientLeft());
    if (client.destroyed) this.clientLeft();
  }

  /** Whether the answer came to its end. */
  get isWhole(): boolean {
    return this.hasEnded;
  }

  private get isKept(): boolean {
    return this.bytes <= this.hooks.maxBytes;
  }

  override writeHead(status: number, ...rest: unknown[]): this {
    const headers = rest.findLast((part) => typeof part === 'object') as OutgoingHttpHeaders | undefined;
    this.statusCode = status;
    this.sentHeaders = { ...headers };
    this.hasHead = true;
    if (!this.client.destroyed && !this.client.headersSent) this.client.writeHead(status, headers);
    return this;
  }

  override write(chunk: unknown): boolean {
    this.note(chunk);
    if (this.client.destroyed) return true;
    return this.client.write(chunk);
  }

  /** What is kept is there before the client can ask for it again. */
  override end(last?: unknown, encoding?: unknown): this {
    if (this.hasEnded || this.destroyed) return this;
    const chunk = typeof last === 'string' ? Buffer.from(last, encoding as BufferEncoding | undefined) : last;
    if (chunk !== undefined) this.note(chunk);
    this.hasEnded = true;
    const body = this.isKept ? Buffer.concat(this.pieces) : undefined;
    this.pieces.length = 0;
    this.kept = this.hooks.keep({ status: this.statusCode, headers: this.sentHeaders, body }).finally(() => {
      if (this.client.destroyed) this.emit('close');
      else this.client.end(chunk);
    });
    return this;
  }

  /** What is put away of an answer that never came to its end. */
  unkept(): KeptAnswer {
    return { status: this.statusCode, headers: this.sentHeaders, body: undefined };
  }

  /** The call is over. An answer without an end is not expected any more; the client's own response is left to others. */
  abandon(): void {
    if (this.hasEnded || this.destroyed) return;
    this.destroyed = true;
    this.pieces.length = 0;
    this.emit('close');
  }

  override destroy(error?: Error): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.client.destroy(error);
    this.emit('close');
    return this;
  }

  /** Whoever takes nothing of what waits for it has left; the call goes on. */
  override setTimeout(ms: number): this {
    this.client.setTimeout(ms, () => {
      if (this.client.writableLength > 0) this.client.destroy();
    });
    return this;
  }

  override setHeader(name: string, value: number | string | readonly string[]): this {
    if (!this.client.headersSent) this.client.setHeader(name, value);
    return this;
  }

  override flushHeaders(): void {
    if (!this.client.destroyed) this.client.flushHeaders();
  }

  private note(chunk: unknown): void {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string | Uint8Array);
    this.bytes += bytes.length;
    if (this.isKept) return void this.pieces.push(bytes);
    this.pieces.length = 0;
    if (this.client.destroyed) this.clientLeft();
  }

  private clientLeft(): void {
    if (this.hasEnded) return void this.emit('close');
    // Whoever waits for room waits no longer.
    if (this.isKept) return void this.emit('drain');
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}
