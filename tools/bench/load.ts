/**
 * The load generator: keep-alive connections over plain sockets, because a client that costs more CPU than the server
 * would measure itself. Without a rate each connection sends its next request as soon as it has its reply (closed
 * loop); with a rate requests are due at fixed times, and their latency counts from then.
 */
import { connect, type Socket } from 'node:net';
import { cpuSeconds } from './cpu.js';
import { quantiles } from './median.js';
import { CHAT_PATH, type Kind, requestBody } from './payload.js';

export interface Order {
  port: number;
  key: string;
  kind: Kind;
  connections: number;
  warmSeconds: number;
  seconds: number;
  /** Requests per second; without it as many as the target can answer. */
  rate?: number;
  /** Process whose CPU time is read at the start and at the end of the measurement. */
  pid?: number;
  /** Sends this request instead of the chat request of `kind`. */
  request?: { path: string; body: string };
}

export interface Outcome {
  requests: number;
  failures: number;
  /** Text of the first failed reply, for the error message. */
  failure: string;
  seconds: number;
  cpuSeconds: number;
  /** Milliseconds at the 50th and 99th percentile. */
  latency: [number, number];
  firstToken: [number, number];
  /** Milliseconds of each request of an order with a rate. */
  times?: { latencies: number[]; firstTokens: number[] };
  /**
   * Socket reads per reply. It must be about the same for all targets, otherwise their streams arrived in different
   * pieces and cannot be compared.
   */
  readsPerReply: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = '0\r\n\r\n';
const TICK_MS = 1;

class Tally {
  isOpen = false;
  requests = 0;
  failures = 0;
  failure = '';
  reads = 0;
  readonly latencies: number[] = [];
  readonly firstTokens: number[] = [];
}

class Client {
  private readonly socket: Socket;
  private startedAt = 0;
  private firstAt = 0;
  private reads = 0;
  private status = 0;
  /** Bytes of the body still to come; `undefined` before the head of the reply has arrived, -1 in a chunked reply. */
  private left: number | undefined;
  private tail = '';

  constructor(
    private readonly order: Order,
    private readonly bytes: Buffer,
    private readonly tally: Tally,
    private readonly onIdle: (client: Client) => void,
  ) {
    this.socket = connect(order.port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', (error) => this.fail(String(error)));
    this.socket.on('close', () => this.fail('closed'));
    this.socket.on('connect', () => this.onIdle(this));
  }

  send(at: number): void {
    this.startedAt = at;
    this.firstAt = 0;
    this.reads = 0;
    this.left = undefined;
    this.tail = '';
    this.socket.write(this.bytes);
  }

  end(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.reads += 1;
    let body = chunk;
    if (this.left === undefined) {
      const end = chunk.indexOf(HEAD_END);
      if (end === -1) return this.fail('a head in pieces');
      const head = chunk.toString('latin1', 0, end);
      this.status = Number(head.slice(9, 12));
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      this.left = length === undefined ? -1 : Number(length);
      body = chunk.subarray(end + 4);
      if (this.status !== 200) this.note(`${head}\n\n${body.toString()}`);
      if (body.length === 0) return;
    }
    if (this.firstAt === 0) this.firstAt = performance.now();
    if (this.isLast(body)) this.finish();
  }

  private isLast(body: Buffer): boolean {
    if (this.left !== -1) {
      this.left = (this.left ?? 0) - body.length;
      return this.left <= 0;
    }
    this.tail = (this.tail + body.toString('latin1', Math.max(0, body.length - 5))).slice(-5);
    return this.tail === LAST_CHUNK;
  }

  private finish(): void {
    const { tally } = this;
    if (tally.isOpen) {
      tally.requests += 1;
      tally.reads += this.reads;
      if (this.status !== 200) tally.failures += 1;
      tally.latencies.push(performance.now() - this.startedAt);
      tally.firstTokens.push(this.firstAt - this.startedAt);
    }
    this.onIdle(this);
  }

  private note(what: string): void {
    if (this.tally.failure === '') this.tally.failure = what.slice(0, 500);
  }

  private fail(what: string): void {
    this.note(what);
    this.tally.failures += 1;
    this.end();
  }
}

function bytesOf({ kind, key, port, request }: Order): Buffer {
  const body = request ? Buffer.from(request.body) : requestBody(kind);
  const head = [
    `POST ${request?.path ?? CHAT_PATH} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'user-agent: bench',
    `content-length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Starts requests at a fixed rate on whichever connection is idle. A request that has to wait for a connection counts
 * from when it was due.
 */
function paced(rate: number): { onIdle(client: Client): void; stop(): void } {
  const idle: Client[] = [];
  const due: number[] = [];
  const startedAt = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    for (const wanted = ((now - startedAt) / 1000) * rate; made < wanted; made += 1) due.push(now);
    while (due.length > 0 && idle.length > 0) idle.pop()?.send(due.shift() as number);
  }, TICK_MS);
  return {
    onIdle(client) {
      if (due.length > 0) client.send(due.shift() as number);
      else idle.push(client);
    },
    stop: () => clearInterval(timer),
  };
}

async function run(order: Order): Promise<Outcome> {
  const tally = new Tally();
  const bytes = bytesOf(order);
  let isOver = false;
  const pace = order.rate === undefined ? undefined : paced(order.rate);
  const onIdle = (client: Client): void => {
    if (isOver) return;
    if (pace) pace.onIdle(client);
    else client.send(performance.now());
  };
  const clients = Array.from({ length: order.connections }, () => new Client(order, bytes, tally, onIdle));
  await pause(order.warmSeconds * 1000);
  const cpuBefore = order.pid === undefined ? 0 : cpuSeconds(order.pid);
  const startedAt = performance.now();
  tally.isOpen = true;
  await pause(order.seconds * 1000);
  tally.isOpen = false;
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuAfter = order.pid === undefined ? 0 : cpuSeconds(order.pid);
  isOver = true;
  pace?.stop();
  // Lets requests in flight finish, so that no server sees its client disconnect.
  await pause(400);
  for (const client of clients) client.end();
  return {
    requests: tally.requests,
    failures: tally.failures,
    failure: tally.failure,
    seconds,
    cpuSeconds: cpuAfter - cpuBefore,
    latency: quantiles(tally.latencies),
    firstToken: quantiles(tally.firstTokens),
    ...(pace && { times: { latencies: tally.latencies, firstTokens: tally.firstTokens } }),
    readsPerReply: tally.reads / Math.max(1, tally.requests),
  };
}

process.on('message', (order: Order) => {
  void run(order).then((outcome) => process.send?.(outcome));
});
process.once('disconnect', () => process.exit(0));
