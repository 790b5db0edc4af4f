import { useState } from 'react';
import * as z from 'zod/mini';
import { useKept } from '../../components/forms/use-kept.js';
import type { Message } from './conversation.js';
import { ended, newMessage } from './conversation.js';

/** Limit in characters of JSON: the browser keeps a few megabytes for a whole tab, and other drafts need room, too. */
export const LONGEST_KEPT = 400_000;

const messageSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  createAt: z.number(),
  status: z.enum(['complete', 'error']),
  reasoning: z.optional(z.string()),
  error: z.optional(z.string()),
  facts: z.optional(
    z.object({
      requestId: z.optional(z.string()),
      firstMs: z.optional(z.number()),
      totalMs: z.optional(z.number()),
      stopped: z.optional(z.boolean()),
    }),
  ),
});
const keptSchema = z.array(messageSchema);
type KeptMessage = z.infer<typeof messageSchema>;

/** The message as it is kept: ended, and without its files, which may be larger than everything else. */
function toKept(message: Message): KeptMessage | undefined {
  const { role, content, createAt, status, reasoning, error, facts } = ended(message);
  if (role === 'user' && content === '') return undefined;
  return { role, content, createAt, status: status === 'error' ? 'error' : 'complete', reasoning, error, facts };
}

/** The latest messages that fit into the limit, from a question on. */
export function keptOf(messages: readonly Message[]): KeptMessage[] | undefined {
  const all = messages.flatMap((message) => toKept(message) ?? []);
  let room = LONGEST_KEPT;
  const first = all.findLastIndex((message) => (room -= JSON.stringify(message).length) < 0) + 1;
  const fitting = all.slice(first);
  const kept = fitting.slice(
    Math.max(
      0,
      fitting.findIndex(({ role }) => role === 'user'),
    ),
  );
  return kept.length === 0 ? undefined : kept;
}

/** Keeps the conversation over a reload until its user signs out. `restored`: what is shown was kept. */
export function useKeptConversation(messages: readonly Message[], show: (messages: Message[]) => void) {
  const [greeting] = useState(messages);
  const [restored, setRestored] = useState(false);
  useKept<KeptMessage[]>({
    id: 'conversation',
    typed: () => (messages === greeting ? undefined : keptOf(messages)),
    schema: keptSchema,
    restore: (kept) => {
      show(kept.map((message) => ({ ...newMessage(message.role, message.content), ...message })));
      setRestored(true);
    },
  });
  return { restored, forget: () => setRestored(false) };
}
