import { useState } from 'react';
import * as z from 'zod/mini';
import { useKept } from '../../components/forms/use-kept.js';
import type { Facts, Message, NotKept } from './conversation.js';
import { MOST_ASKS, ended, newMessage } from './conversation.js';

/** Limit in characters of JSON: the browser keeps a few megabytes for a whole tab, and other drafts need room, too. */
export const LONGEST_KEPT = 400_000;
/** Limit in characters of the error of an answer that is too long otherwise. */
const LONGEST_ERROR = 1000;

const billSchema = z.object({ promptTokens: z.number(), completionTokens: z.number(), quota: z.number() });
const messageSchema = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  createAt: z.number(),
  status: z.enum(['complete', 'error']),
  reasoning: z.optional(z.string()),
  error: z.optional(z.string()),
  notKept: z.optional(
    z.array(z.object({ kind: z.enum(['file', 'picture', 'sound', 'text']), name: z.optional(z.string()) })),
  ),
  facts: z.optional(
    z.object({
      requestId: z.optional(z.string()),
      firstMs: z.optional(z.number()),
      totalMs: z.optional(z.number()),
      stopped: z.optional(z.boolean()),
      interrupted: z.optional(z.boolean()),
      billAsks: z.optional(z.number()),
      bill: z.optional(billSchema),
    }),
  ),
});
const keptSchema = z.object({
  messages: z.array(messageSchema),
  /** Older messages found no room. */
  isShortened: z.boolean(),
});
type KeptMessage = z.infer<typeof messageSchema>;
type KeptConversation = z.infer<typeof keptSchema>;

/** The facts as they are kept. The cost of a running answer is booked after the page was left, so it is asked for as long as usual. */
function keptFacts(message: Message): Facts | undefined {
  const { facts } = ended(message);
  if (facts === message.facts) return facts && { ...facts, billAsks: undefined };
  return { ...facts, interrupted: true, billAsks: MOST_ASKS };
}

/** The message as it is kept: ended, and with the names of its files, which may be larger than everything else. */
function toKept(message: Message): KeptMessage {
  const { role, content, createAt, status, reasoning, error, attachments = [], media = [] } = ended(message);
  const facts = keptFacts(message);
  const notKept: NotKept[] = [
    ...(message.notKept ?? []),
    ...attachments.map(({ name }) => ({ kind: 'file' as const, name })),
    ...media.map(({ kind }) => ({ kind })),
  ];
  return {
    ...{ role, content, createAt, status: status === 'error' ? 'error' : 'complete', reasoning, error, facts },
    ...(notKept.length > 0 && { notKept }),
  };
}

const withoutText = ({ role, createAt, status, error, facts, notKept = [] }: KeptMessage): KeptMessage => ({
  ...{ role, content: '', createAt, status, error: error?.slice(0, LONGEST_ERROR), facts },
  notKept: [...notKept, { kind: 'text' }],
});

/**
 * The latest messages that fit into the limit, from a question on. The last question and what follows it are always
 * among them, without their text where that is too long.
 */
export function keptOf(messages: readonly Message[]): KeptConversation | undefined {
  const all = messages.map(toKept);
  const lastQuestion = all.findLastIndex(({ role }) => role === 'user');
  const kept: KeptMessage[] = [];
  let room = LONGEST_KEPT;
  for (const [index, message] of [...all.entries()].reverse()) {
    const length = JSON.stringify(message).length;
    if (length > room && index < lastQuestion) break;
    kept.unshift(length > room ? withoutText(message) : message);
    if (length <= room) room -= length;
  }
  const first = kept.findIndex(({ role }) => role === 'user');
  const fromQuestion = kept.slice(Math.max(0, first));
  if (fromQuestion.length === 0) return undefined;
  return { messages: fromQuestion, isShortened: fromQuestion.length < all.length };
}

/** The messages to show again. A bill that was not known is asked for once if nothing else was kept, and only that of the newest answer. */
function shownAgain(kept: readonly KeptMessage[]): Message[] {
  const newest = kept.findLastIndex(({ role }) => role === 'assistant');
  return kept.map((message, index) => ({
    ...newMessage(message.role, message.content),
    ...message,
    ...(message.facts && {
      facts: { ...message.facts, billAsks: index === newest ? Math.min(message.facts.billAsks ?? 1, MOST_ASKS) : 0 },
    }),
  }));
}

/** What is shown was kept over a reload: all of it, or only its latest messages. */
type Restored = 'whole' | 'shortened';

/** Keeps the conversation over a reload until its user signs out. */
export function useKeptConversation(messages: readonly Message[], show: (messages: Message[]) => void) {
  const [greeting] = useState(messages);
  const [restored, setRestored] = useState<Restored>();
  const typed = (): KeptConversation | undefined => {
    const kept = messages === greeting ? undefined : keptOf(messages);
    return kept && { ...kept, isShortened: kept.isShortened || restored === 'shortened' };
  };
  useKept<KeptConversation>({
    id: 'conversation',
    typed,
    schema: keptSchema,
    restore: (kept) => {
      show(shownAgain(kept.messages));
      setRestored(kept.isShortened ? 'shortened' : 'whole');
    },
  });
  return { restored, forget: () => setRestored(undefined) };
}
