import type { PlaygroundRequest } from '@tollgate/contracts/api/chat';
import { createParser } from 'eventsource-parser';

/** The server's own sentence, with the status it came with. */
export class ChatError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

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

/** `{ error: { message } }` of the relay or `{ success: false, message }` of the console's calls. */
function messageOf(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { error, message } = value;
  if (isObject(error) && typeof error.message === 'string') return error.message;
  return typeof message === 'string' ? message : undefined;
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
    throw new ChatError(messageOf(parse(await reply.text())) ?? `HTTP ${reply.status}`, reply.status, requestId);
  }
  onStart(requestId);

  let failure: string | undefined;
  let done = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      done ||= data === DONE;
      const chunk = done ? undefined : parse(data);
      if (isObject(chunk) && chunk.error !== undefined) failure = messageOf(chunk) ?? data;
      const text = textOf(chunk);
      if (text !== '') onText(text);
    },
  });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { value, done: closed } = await reader.read();
    if (value !== undefined) parser.feed(value);
    if (failure !== undefined) throw new ChatError(failure, reply.status, requestId);
    if (closed || done) break;
  }
  await reader.cancel().catch(() => undefined);
}
