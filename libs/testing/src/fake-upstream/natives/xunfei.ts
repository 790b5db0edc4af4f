import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { FakeBehaviour } from '../behaviour.js';
import type { FakeExchange, JsonObject } from '../dialects.js';
import { type ErrorDetails, lastReported } from './keyed-words.js';
import { listIn, objectIn, textIn } from './native.js';

export const XUNFEI_KEY = 'fakeapp1|fake-api-secret|fake-api-key';
const [APP_ID, SECRET = '', KEY] = XUNFEI_KEY.split('|');

const PATH = /\/v\d+(?:\.\d+)?\/chat$/;
const MAX_SKEW_MS = 300_000;

/** The error that Spark's gateway would report for a signed URL; undefined for a valid one. */
export function sparkUrlFault(requestUrl: string, now = Date.now()): string | undefined {
  const { pathname, searchParams } = new URL(requestUrl, 'http://localhost');
  const [host, date, authorization] = ['host', 'date', 'authorization'].map((name) => searchParams.get(name) ?? '');
  const words = Buffer.from(authorization ?? '', 'base64').toString('utf8');
  const [, key, signature] = /^(?:hmac username|api_key)="([^"]*)".* signature="([^"]*)"$/.exec(words) ?? [];
  if (key !== KEY) return 'HMAC signature cannot be verified: apikey not found';
  if (!(Math.abs(Date.parse(date ?? '') - now) < MAX_SKEW_MS))
    return 'HMAC signature cannot be verified, a valid date or x-date header is required';
  const own = createHmac('sha256', SECRET).update(`host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`);
  return own.digest('base64') === signature ? undefined : 'HMAC signature does not match';
}

const codes: Readonly<Record<string, number>> = {
  '401': 11200,
  '429': 11202,
  '400': 10163,
  rate_limit_exceeded: 11202,
};

const errorMessage = ({ message, code }: ErrorDetails): JsonObject => ({
  header: { code: codes[code] ?? (Number(code) || 10012), message, sid: 'cht000', status: 2 },
});

/** A message of an answer; the last message has no text. */
function message(exchange: FakeExchange, seq: number, text?: string): JsonObject {
  const isLast = text === undefined;
  const status = isLast ? 2 : Math.min(seq, 1);
  const reported = isLast ? lastReported(exchange) : undefined;
  const counts = reported && {
    question_tokens: reported.promptTokens,
    prompt_tokens: reported.promptTokens,
    completion_tokens: reported.completionTokens,
    total_tokens: reported.promptTokens + reported.completionTokens,
  };
  return {
    header: { code: 0, message: 'Success', sid: exchange.id, status },
    payload: {
      choices: { status, seq, text: [{ content: text ?? '', role: 'assistant', index: 0 }] },
      ...(counts && { usage: { text: counts } }),
    },
  };
}

/** The planned answer to one question. */
export interface SparkPlan {
  exchange: FakeExchange;
  behaviour: FakeBehaviour;
  error: ErrorDetails;
  onWord(): void;
}

/** The question in OpenAI's format, which the journal and the token count use. */
export const sparkBody = (json: JsonObject): JsonObject => {
  const chat = objectIn(objectIn(json.parameter).chat);
  const text = objectIn(objectIn(json.payload).message).text;
  return {
    messages: listIn(text),
    model: textIn(chat.domain),
    max_tokens: chat.max_tokens,
    stream: true,
    stream_options: { include_usage: true },
  };
};

const send = (socket: WebSocket, value: JsonObject): void => socket.send(JSON.stringify(value));

/**
 * Carries out the fault that is configured for this position in the answer, if any. Resolves to true if it ends the
 * answer.
 */
async function misbehave(socket: WebSocket, { behaviour, error }: SparkPlan, index: number): Promise<boolean> {
  if (behaviour.malformedAt === index) socket.send('{"header":');
  if (behaviour.errorAfter === index) send(socket, errorMessage(error));
  if (behaviour.cutAfter === index) {
    await setTimeout(5);
    socket.terminate();
  }
  return [behaviour.errorAfter, behaviour.cutAfter, behaviour.silentAfter].includes(index);
}

async function answer(socket: WebSocket, plan: SparkPlan): Promise<void> {
  const { exchange, behaviour, error, onWord } = plan;
  if (behaviour.latencyMs > 0) await setTimeout(behaviour.latencyMs);
  if (behaviour.status !== 200 || behaviour.errorIn200) return send(socket, errorMessage(error));
  for (const [index, word] of exchange.words.entries()) {
    if (await misbehave(socket, plan, index)) return;
    await (behaviour.tokensPerSecond > 0 ? setTimeout(1000 / behaviour.tokensPerSecond) : setImmediate());
    if (socket.readyState !== socket.OPEN) return;
    send(socket, message(exchange, index, word));
    onWord();
  }
  if (await misbehave(socket, plan, exchange.words.length)) return;
  if (!behaviour.noEnd) send(socket, message(exchange, exchange.words.length));
  socket.close();
}

const door = new WebSocketServer({ noServer: true });

function refuse(socket: Duplex, status: number, words: string): void {
  const body = JSON.stringify({ message: words });
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`);
}

export const isSpark = (url = '/'): boolean => PATH.test(new URL(url, 'http://localhost').pathname);

/** Accepts a Spark web socket with a signed URL, on which one question is answered in several messages. */
export function openSpark(
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  plan: (json: JsonObject) => SparkPlan,
): void {
  const fault = sparkUrlFault(request.url ?? '/');
  if (fault !== undefined) return refuse(socket, fault.endsWith('match') ? 403 : 401, fault);
  door.handleUpgrade(request, socket, head, (opened) => {
    opened.on('error', () => opened.terminate());
    opened.once('message', (data: RawData) => {
      const json = JSON.parse(String(data)) as JsonObject;
      const wrong = { message: 'app_id and api_key does not match', type: '', code: '10016' };
      if (objectIn(json.header).app_id !== APP_ID) opened.send(JSON.stringify(errorMessage(wrong)));
      else void answer(opened, plan(json)).catch(() => opened.terminate());
    });
  });
}
