import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { FakeBehaviour } from './behaviour.js';
import type { FakeExchange, FakeDialect, Frame } from './dialects.js';

/** Headers that concern the upstream's account, which a relay must not pass on. */
const accountHeaders = {
  'openai-organization': 'org-fakeupstream0001',
  'set-cookie': 'upstream_session=secret; Path=/',
  'x-ratelimit-remaining-requests': '99',
};

export interface Outlet {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  behaviour: FakeBehaviour;
}

function writeHead(
  { response, requestId, behaviour }: Outlet,
  status: number,
  headers: Record<string, string | number>,
): void {
  response.writeHead(status, {
    ...accountHeaders,
    'x-request-id': requestId,
    ...(behaviour.gzip && { 'content-encoding': 'gzip' }),
    ...headers,
    ...(behaviour.contentType && { 'content-type': behaviour.contentType }),
  });
}

/** Sends a body at once; with `cutAfter` the connection breaks in its middle. */
export function sendBody(outlet: Outlet, status: number, text: string, extra: Record<string, string> = {}): void {
  const { behaviour, response } = outlet;
  const body = behaviour.gzip ? gzipSync(text) : Buffer.from(text);
  writeHead(outlet, status, { 'content-type': 'application/json', 'content-length': body.length, ...extra });
  if (behaviour.cutAfter < 0 || status !== 200) {
    response.end(body);
    return;
  }
  response.write(body.subarray(0, body.length >> 1), () => response.destroy());
}

function frameText([event, data]: Frame, newline: string, separator = ' '): string {
  return `${event ? `event:${separator}${event}${newline}` : ''}data:${separator}${data}${newline}${newline}`;
}

/** Where to split a write so that it ends inside the frame's last multi-byte character, if there is one. */
function splitPoint(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > 0; at -= 1) if (((bytes[at] ?? 0) & 0xc0) === 0x80) return at;
  return bytes.length;
}

interface Writer {
  write(frame: Frame): Promise<void>;
  end(): Promise<void>;
}

function writerOf({ response, behaviour, signal }: Outlet, { lines, separator, binary }: FakeDialect): Writer {
  const newline = behaviour.crlf ? '\r\n' : '\n';
  const gzip = behaviour.gzip ? createGzip() : undefined;
  gzip?.pipe(response);
  const send = async (bytes: Buffer): Promise<void> => {
    if (!(gzip ?? response).write(bytes)) await once(gzip ?? response, 'drain', { signal });
    if (gzip) await new Promise<void>((resolve) => gzip.flush(() => resolve()));
  };
  return {
    async write(frame) {
      const text = lines === undefined ? frameText(frame, newline, separator) : `${frame[1]}${newline}`;
      const bytes = binary?.write(frame) ?? Buffer.from(text);
      const middle = behaviour.splitUtf8 ? splitPoint(bytes) : bytes.length;
      await send(bytes.subarray(0, middle));
      if (middle === bytes.length) return;
      await setTimeout(2, undefined, { signal });
      await send(bytes.subarray(middle));
    },
    async end() {
      (gzip ?? response).end();
      await once(response, 'close').catch(() => undefined);
    },
  };
}

/** Waits until the chunk is due by the clock, so that delays of slow writes do not add up. */
async function pace({ behaviour, signal }: Outlet, startedAt: number, index: number): Promise<void> {
  if (behaviour.tokensPerSecond <= 0) return setImmediate(undefined, { signal });
  const wait = startedAt + (index * 1000) / behaviour.tokensPerSecond - performance.now();
  if (wait > 0) await setTimeout(wait, undefined, { signal });
}

interface StreamPlan {
  dialect: FakeDialect;
  exchange: FakeExchange;
  error: { message: string; type: string; code: string };
  /** Called after each word that has been written. */
  onWord: () => void;
}

type Turn = 'go on' | 'stop';

/** Carries out the fault that is configured for this position in the stream, if any. */
async function misbehave(outlet: Outlet, writer: Writer, plan: StreamPlan, index: number): Promise<Turn> {
  const { behaviour, response, signal } = outlet;
  if (behaviour.malformedAt === index) await writer.write([undefined, '{"id":"broken","choices":[']);
  if (behaviour.errorAfter === index) {
    await writer.write(plan.dialect.errorFrame(plan.error));
    await writer.end();
    return 'stop';
  }
  if (behaviour.cutAfter === index) {
    // Lets the data written so far reach the network before the connection breaks.
    await setTimeout(5);
    response.destroy();
    return 'stop';
  }
  if (behaviour.silentAfter === index) {
    await once(signal, 'abort');
    return 'stop';
  }
  return 'go on';
}

/** Sends binary data in pieces; a cut or a silence comes between two of them. */
export async function sendPieces(outlet: Outlet, contentType: string, pieces: readonly Buffer[]): Promise<void> {
  const { behaviour, response, signal } = outlet;
  writeHead({ ...outlet, behaviour: { ...behaviour, gzip: false } }, 200, { 'content-type': contentType });
  response.flushHeaders();
  const startedAt = performance.now();
  for (const [index, piece] of pieces.entries()) {
    if (behaviour.cutAfter === index) {
      await setTimeout(5);
      return void response.destroy();
    }
    if (behaviour.silentAfter === index) return void (await once(signal, 'abort'));
    await pace(outlet, startedAt, index);
    if (!response.write(piece)) await once(response, 'drain', { signal });
  }
  response.end();
}

/** Sends events that are known in advance, with the same faults as other streams. */
export const sendFrames = (outlet: Outlet, frames: readonly Frame[]): Promise<void> =>
  sendPieces(
    outlet,
    'text/event-stream; charset=utf-8',
    frames.map((frame) => Buffer.from(frameText(frame, outlet.behaviour.crlf ? '\r\n' : '\n'))),
  );

export async function sendStream(outlet: Outlet, plan: StreamPlan): Promise<void> {
  const { dialect, exchange } = plan;
  const contentType = dialect.binary?.contentType ?? dialect.lines ?? 'text/event-stream; charset=utf-8';
  writeHead(outlet, 200, { 'content-type': contentType, 'cache-control': 'no-cache' });
  outlet.response.flushHeaders();
  const writer = writerOf(outlet, dialect);
  const startedAt = performance.now();
  for (const frame of dialect.opening(exchange)) await writer.write(frame);
  for (const [index, word] of exchange.words.entries()) {
    if ((await misbehave(outlet, writer, plan, index)) === 'stop') return;
    await pace(outlet, startedAt, index);
    await writer.write(dialect.word(exchange, word));
    plan.onWord();
  }
  if ((await misbehave(outlet, writer, plan, exchange.words.length)) === 'stop') return;
  const closing = dialect.closing(exchange);
  for (const [index, frame] of (outlet.behaviour.noEnd ? closing.slice(0, -1) : closing).entries()) {
    if (index === 1 && outlet.behaviour.tailMs > 0)
      await setTimeout(outlet.behaviour.tailMs, undefined, { signal: outlet.signal });
    await writer.write(frame);
  }
  await writer.end();
}
