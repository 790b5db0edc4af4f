import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { anthropicUsage, bodyText, openAiUsage, say, type Speech, words } from './speech.js';
import type { Stage } from './stage.js';

/** How an upstream handles one request. A rejection means that the client disconnected. */
export type Scenario = (stage: Stage) => Promise<void>;

export const speak =
  (speech: Speech = {}): Scenario =>
  (stage) =>
    say(stage, speech);

/**
 * Reports any usage; the values are raw JSON, so that `-1`, `1e400`, `"12"` and `18446744073709551615` are possible.
 */
export const claim =
  (prompt: string | number, completion: string | number, reply = words(2)): Scenario =>
  (stage) =>
    say(stage, { words: reply, usage: [usageFor(stage, prompt, completion)] });

/** Reports two different usages; the relay may count either of them. */
export const contradict =
  (first: [number, number], second: [number, number]): Scenario =>
  (stage) =>
    say(stage, { usage: [first, second].map(([prompt, completion]) => usageFor(stage, prompt, completion)) });

const usageFor = ({ endpoint }: Stage, prompt: string | number, completion: string | number): string =>
  endpoint === 'messages' ? anthropicUsage(prompt, completion) : openAiUsage(prompt, completion);

/** Sends raw bytes after `after` words of a stream, then continues normally. */
export const blurt = (after: number, bytes: Buffer | string, speech: Speech = {}): Scenario =>
  speak({ words: words(after + 2), ...speech, interrupt: { after, with: (stage) => stage.write(bytes) } });

/** Sends an error inside a stream with status 200, then ends the connection. */
export const failInside = (after: number, frame: string): Scenario =>
  speak({
    words: words(after + 2),
    interrupt: {
      after,
      with: async (stage) => {
        await stage.end(frame);
        throw new Error('the answer is over');
      },
    },
  });

/** An error in MiniMax's format. */
export const MINIMAX_FAULT = `data: {"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}\n\n`;

/** Stops sending and leaves the connection open. */
export const fallSilent = (when: 'before the head' | 'after the head' | { afterWords: number }): Scenario => {
  if (typeof when === 'object')
    return speak({
      words: words(when.afterWords + 1),
      interrupt: { after: when.afterWords, with: (stage) => stage.wait() },
    });
  return async (stage) => {
    if (when === 'after the head') {
      if (stage.isStream) stage.streamHead();
      else stage.head(200, { 'content-type': 'application/json' });
    }
    await stage.wait();
  };
};

const CHUNK = 64 * 1024;

async function fill(stage: Stage, piece: Buffer, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; sent += piece.length) await stage.write(piece);
}

/** Sends bytes without content that keep the connection alive: whitespace, comments, or one line that never ends. */
export const babble =
  (what: 'whitespace' | 'comments' | 'one line', bytes: number): Scenario =>
  async (stage) => {
    if (stage.isStream) stage.streamHead();
    else stage.head(200, { 'content-type': 'application/json' });
    if (what === 'one line') await stage.write('data: {"choices":[{"delta":{"content":"');
    const piece = { whitespace: ' ', comments: `: ${'x'.repeat(60)}\n`, 'one line': 'x' }[what];
    await fill(stage, Buffer.from(piece.repeat(Math.ceil(CHUNK / piece.length))), bytes);
    await stage.wait();
  };

/** Sends a well-formed reply that exceeds every limit. */
export const sprawl =
  (bytes: number): Scenario =>
  async (stage) => {
    const text = bodyText(stage, { words: ['¤'] });
    const [before = '', after = ''] = text.split('¤');
    stage.head(200, { 'content-type': 'application/json' });
    await stage.write(before);
    await fill(stage, Buffer.alloc(CHUNK, 'x'), bytes);
    await stage.end(after);
  };

/** Sends a small compressed body that expands to `bytes`. */
export const bomb = (bytes: number, encoding: 'gzip' | 'br' = 'gzip'): Scenario => {
  let packed: Buffer | undefined;
  return async (stage) => {
    packed ??= pack(Buffer.alloc(bytes, ' '), encoding);
    stage.head(200, {
      'content-type': stage.isStream ? 'text/event-stream' : 'application/json',
      'content-encoding': encoding,
    });
    await stage.end(packed);
  };
};

/** Brotli's highest quality would take too long and save nothing here. */
const pack = (text: Buffer, encoding: 'gzip' | 'br'): Buffer =>
  encoding === 'gzip' ? gzipSync(text) : brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

export const hugeHeader =
  (bytes: number): Scenario =>
  async (stage) => {
    stage.response.setHeader('x-huge', 'h'.repeat(bytes));
    await say(stage, {});
  };

/** Sends an error whose message contains the key, the upstream's address and the client's request. */
export const tellTale =
  (status: number): Scenario =>
  async (stage) => {
    const { authorization, 'x-api-key': key, host } = stage.request.headers;
    const message = `key ${authorization ?? key} at http://${host} refused: ${stage.entry.body.toString('utf8')}`;
    stage.head(status, { 'content-type': 'application/json' });
    await stage.end(JSON.stringify(stage.dialect.error({ message, type: 'invalid_request_error', code: 'refused' })));
  };

export const redirect =
  (to: string, status = 307): Scenario =>
  async (stage) => {
    stage.head(status, { location: to });
    await stage.end();
  };

/** Sends a reply byte for byte. */
export const raw =
  (
    status: number,
    body: Buffer | string,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ): Scenario =>
  async (stage) => {
    stage.head(status, headers);
    await stage.end(body);
  };

/** Sends an error body with status 200. */
export const lieAboutSuccess = (message = 'quota exceeded'): Scenario =>
  raw(200, JSON.stringify({ error: { message, type: 'server_error', code: 'server_error' } }));

/** Closes or resets the connection after `bytes` bytes of a correct body; with 0 before the head. */
export const cutAt =
  (bytes: number, how: 'close' | 'reset' = 'close'): Scenario =>
  async (stage) => {
    if (bytes > 0) {
      const text = bodyText(stage, {});
      if (stage.isStream) stage.streamHead();
      else stage.head(200, { 'content-type': 'application/json', 'content-length': text.length });
      await stage.write(text.slice(0, bytes));
      await stage.pause(20);
    }
    if (how === 'reset') stage.request.socket.resetAndDestroy();
    else stage.request.socket.destroy();
  };

export const INVALID_UTF8 = Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]);
