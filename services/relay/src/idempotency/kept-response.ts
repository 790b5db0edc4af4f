import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** An answer as the client got it. */
export interface KeptAnswer {
  status: number;
  headers: OutgoingHttpHeaders;
  /** `undefined` when the answer was larger than may be kept. */
  body: Buffer | undefined;
}

interface KeepingHooks {
  /** Most bytes of an answer that is kept. */
  maxBytes: number;
  /** Stores the answer; called before the client sees its end. Never rejects. */
  keep(answer: KeptAnswer): Promise<void>;
}

/**
 * The response to a call that may be repeated: it is forwarded to the client and collected at the same time. A client
 * that leaves does not end the call, because it will repeat it and must find the answer. Once the answer is too large
 * to be kept, a leaving client ends the call as usual.
 */
export class KeptResponse extends ServerResponse {
  private readonly pieces: Buffer[] = [];
  private bytes = 0;
  private sentHeaders: OutgoingHttpHeaders = {};
  private hasHead = false;
  private hasEnded = false;
  /** Resolves when a complete answer has been stored. */
  kept: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: ServerResponse,
    private readonly hooks: KeepingHooks,
  ) {
    super(client.req);
    // In Node's own class these are accessors of the prototype, so they are redefined on the instance.
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

  /** Whether the answer is complete. */
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

  /** The client gets the end only after the answer was stored, so that a repeat finds it. */
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

  /** What is stored for an answer that is incomplete. */
  unkept(): KeptAnswer {
    return { status: this.statusCode, headers: this.sentHeaders, body: undefined };
  }

  /** Discards an incomplete answer after the call is over. The client's own response is not touched. */
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

  /** A client that takes none of the waiting bytes is disconnected; the call continues. */
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
    // Releases writers that wait for the client to drain.
    if (this.isKept) return void this.emit('drain');
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}
