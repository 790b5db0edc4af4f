import type { PlaygroundRequest } from '@tollgate/contracts/api/chat';
import { createParser } from 'eventsource-parser';
import { isObject } from '../../api/is-object.js';
import type { ChatError } from './chat-error.js';
import { errorOf, parse, refusedBy, textIn } from './reply-error.js';

export interface StreamChat {
  body: PlaygroundRequest;
  userId: number;
  signal: AbortSignal;
  /** Called when the headers of the reply have arrived. */
  onStart: (requestId: string | undefined) => void;
  onText: (text: string) => void;
  /** A piece of the reasoning before the answer. */
  onReasoning: (text: string) => void;
}

function deltaOf(chunk: unknown): { text: string; reasoning: string } {
  const [choice] = isObject(chunk) && Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
  const delta = isObject(choice) && isObject(choice.delta) ? choice.delta : {};
  const reasoning = textIn(delta.reasoning_content) ?? textIn(delta.reasoning) ?? '';
  return { text: textIn(delta.content) ?? '', reasoning };
}

const DONE = '[DONE]';

/** Sends one streaming chat call; resolves at the end marker or when the stream closes. */
export async function streamChat({ body, userId, signal, onStart, onText, onReasoning }: StreamChat): Promise<void> {
  const reply = await fetch(`${window.location.origin}/pg/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'New-Api-User': String(userId), 'Cache-Control': 'no-store' },
    body: JSON.stringify(body),
    signal,
  });
  const requestId = reply.headers.get('X-Oneapi-Request-Id') ?? undefined;
  if (!reply.ok || !reply.body) throw await refusedBy(reply);
  onStart(requestId);

  let failure: ChatError | undefined;
  let done = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      done ||= data === DONE;
      const chunk = done ? undefined : parse(data);
      if (isObject(chunk) && chunk.error !== undefined) failure = errorOf(chunk, data, reply.status, requestId);
      const { text, reasoning } = deltaOf(chunk);
      if (reasoning !== '') onReasoning(reasoning);
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
