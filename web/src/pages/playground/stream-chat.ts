import type { PlaygroundRequest } from '@tollgate/contracts/api/chat';
import { createParser } from 'eventsource-parser';
import { ChatError } from './chat-error.js';

interface StreamChat {
  body: PlaygroundRequest;
  userId: number;
  signal: AbortSignal;
  /** The reply has begun. */
  onStart: (requestId: string | undefined) => void;
  onText: (text: string) => void;
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

/** `{ error: { message, code, type } }` of the relay or `{ success: false, message }` of the console's calls. */
function errorOf(value: unknown, otherwise: string, status: number, requestId: string | undefined): ChatError {
  const error = isObject(value) && isObject(value.error) ? value.error : value;
  const { message, code, type } = isObject(error) ? error : {};
  return new ChatError(textIn(message) ?? otherwise, status, { requestId, code: textIn(code), type: textIn(type) });
}

function textOf(chunk: unknown): string {
  const [choice] = isObject(chunk) && Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
  const delta = isObject(choice) ? choice.delta : undefined;
  return isObject(delta) && typeof delta.content === 'string' ? delta.content : '';
}

const DONE = '[DONE]';

/** One chat call whose answer comes in pieces; resolves at the end marker or when the stream closes. */
export async function streamChat({ body, userId, signal, onStart, onText }: StreamChat): Promise<void> {
  const reply = await fetch(`${window.location.origin}/pg/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'New-Api-User': String(userId), 'Cache-Control': 'no-store' },
    body: JSON.stringify(body),
    signal,
  });
  const requestId = reply.headers.get('X-Oneapi-Request-Id') ?? undefined;
  if (!reply.ok || !reply.body) {
    throw errorOf(parse(await reply.text()), `HTTP ${reply.status}`, reply.status, requestId);
  }
  onStart(requestId);

  let failure: ChatError | undefined;
  let done = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      done ||= data === DONE;
      const chunk = done ? undefined : parse(data);
      if (isObject(chunk) && chunk.error !== undefined) failure = errorOf(chunk, data, reply.status, requestId);
      const text = textOf(chunk);
      if (text !== '') onText(text);
    },
  });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done: closed } = await reader.read();
    if (value !== undefined) parser.feed(value);
    if (failure) throw failure;
    if (closed || done) break;
  }
  await reader.cancel().catch(() => undefined);
}
