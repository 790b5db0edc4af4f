import { WebSocket } from 'ws';

interface RealtimeEvent {
  type: string;
  error?: { type: string; code: string; message: string };
  response?: { usage?: unknown };
  session?: { model?: string };
  delta?: string;
}

/** A client of a realtime session that records everything it receives. */
export class RealtimeClient {
  readonly events: RealtimeEvent[] = [];
  readonly frames: Buffer[] = [];
  requestId = '';
  /** Code and reason of the close frame. */
  closed: { code: number; reason: string } | undefined;
  /** The reply to a refused handshake. */
  refusal: { status: number; body: string } | undefined;
  private readonly changed = new Set<() => void>();

  constructor(readonly socket: WebSocket) {
    socket.on('upgrade', ({ headers }) => (this.requestId = String(headers['x-oneapi-request-id'])));
    socket.on('message', (data: Buffer, isBinary) => {
      this.frames.push(data);
      if (!isBinary && data[0] === 0x7b) this.events.push(JSON.parse(data.toString('utf8')) as RealtimeEvent);
      this.notify();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.notify();
    });
    socket.on('error', () => this.notify());
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => {
        this.refusal = { status: response.statusCode ?? 0, body };
        this.notify();
      });
    });
  }

  static open(
    url: string,
    key: string,
    model: string,
    options: { protocols?: string[]; query?: string; path?: string } = {},
  ) {
    const { protocols, query = '', path = '/v1/realtime' } = options;
    const address = `${url.replace(/^http/, 'ws')}${path}?model=${model}${query}`;
    const headers: Record<string, string> = protocols ? {} : { authorization: `Bearer ${key}` };
    return new RealtimeClient(new WebSocket(address, protocols ?? [], { headers }));
  }

  send(event: object | string): void {
    this.socket.send(typeof event === 'string' ? event : JSON.stringify(event));
  }

  count(type: string): number {
    return this.events.filter((event) => event.type === type).length;
  }

  /** Waits until `holds` returns true; the error of a timeout lists the received events. */
  async until(holds: () => boolean, what = 'what was waited for', ms = 10_000): Promise<void> {
    const deadline = Date.now() + ms;
    while (!holds()) {
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`${what} did not come: ${JSON.stringify([this.closed, this.refusal, this.events])}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.changed.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  /** Waits for the first, or the `count`th, event of a type. */
  async heard(type: string, count = 1): Promise<RealtimeEvent> {
    await this.until(() => this.count(type) >= count, `${count} × ${type}`);
    return this.events.filter((event) => event.type === type)[count - 1] as RealtimeEvent;
  }

  async end(): Promise<{ code: number; reason: string }> {
    await this.until(() => this.closed !== undefined, 'the end');
    return this.closed as { code: number; reason: string };
  }

  async refused(): Promise<{ status: number; body: string }> {
    await this.until(() => this.refusal !== undefined, 'the refusal');
    return this.refusal as { status: number; body: string };
  }

  /** Requests a response and waits for its end. */
  async ask(): Promise<void> {
    await this.heard('session.created');
    const answers = this.count('response.done');
    this.send({ type: 'response.create' });
    await this.heard('response.done', answers + 1);
  }

  private notify(): void {
    for (const change of [...this.changed]) change();
    this.changed.clear();
  }
}
