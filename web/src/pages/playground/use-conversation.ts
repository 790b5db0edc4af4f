import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionRefused } from '../../api/events.js';
import type { Bill } from '../../api/log.api.js';
import { selectUser } from '../../app/slices/session.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { loadPart } from '../../components/basics/lazy-part.js';
import { ChatError, describeChatError } from './chat-error.js';
import type { Attachment, Call, Facts, Message, Parameters } from './conversation.js';
import { callOf, ended, newMessage } from './conversation.js';
import { useKeptConversation } from './kept-conversation.js';
import type { StreamChat } from './stream-chat.js';
import { streamChat } from './stream-chat.js';

/** Received text is rendered at most twenty times a second, however fast it arrives. */
const DRAW_MS = 50;

/** Collects received pieces and passes them on together. */
function bundler(draw: (text: string) => unknown) {
  let text = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    draw(text);
  };
  return {
    add: (piece: string) => {
      text += piece;
      timer ??= setTimeout(flush, DRAW_MS);
    },
    flush,
  };
}

/** Bundlers for the answer and for its reasoning. */
function piecesOf(draw: (part: Partial<Message>) => void, onFirst: () => void) {
  const text = bundler((content) => content !== '' && draw({ content }));
  const reasoning = bundler((thought) => thought !== '' && draw({ reasoning: thought }));
  const grow = (part: typeof text) => (piece: string) => {
    onFirst();
    part.add(piece);
  };
  return {
    hooks: { onText: grow(text), onReasoning: grow(reasoning) },
    flush: () => {
      reasoning.flush();
      text.flush();
    },
  };
}

/**
 * Sends a call and returns the complete answer. For a chat that is empty, because its pieces went through the hooks.
 */
async function ask(call: Call, hooks: Omit<StreamChat, 'body'>): Promise<Partial<Message>> {
  if (call.kind !== 'chat') {
    const { askMedia } = await loadPart(() => import('./ask-media.js'));
    return askMedia({ ...hooks, call });
  }
  await streamChat({ ...hooks, body: call.body });
  return {};
}

const samples = (greeting: string, reply: string): Message[] => [
  newMessage('user', greeting),
  newMessage('assistant', reply),
];

const questionOf = (text: string, attachments: Attachment[]): Message => ({
  ...newMessage('user', text),
  ...(attachments.length > 0 && { attachments }),
});

/**
 * Revokes the `blob:` address of a sound, which frees its memory, when neither a message nor the undo of "clear" refers
 * to it any more.
 */
function useHeldSounds(messages: readonly Message[]): void {
  const held = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const urls = messages.flatMap(({ media = [] }) => media.map(({ url }) => url));
    const now = new Set(urls.filter((url) => url.startsWith('blob:')));
    for (const url of held.current) if (!now.has(url)) URL.revokeObjectURL(url);
    held.current = now;
  });
  useEffect(() => () => held.current.forEach((url) => URL.revokeObjectURL(url)), []);
}

/** What becomes of an answer that failed. */
function useFailure() {
  const { t, i18n } = useTranslation('playground');
  const dispatch = useAppDispatch();
  const user = useAppSelector(selectUser);
  return (error: unknown, aborted: boolean): Partial<Message> => {
    if (aborted) return { status: 'complete' };
    // The refusal may also be that of a provider, which does not accept a channel's key.
    if (error instanceof ChatError && error.status === 401) dispatch(sessionRefused({ sentAs: user?.id ?? -1 }));
    return { status: 'error', error: error instanceof ChatError ? describeChatError(error, i18n) : t('state.lost') };
  };
}

/**
 * How often the bill of a refused call is asked for. The relay records every answer that it began, also one that was
 * stopped; a refused call seldom costs anything, and often has no record.
 */
const REFUSED_ASKS = 2;

const refusalFacts = ({ requestId }: Facts, error: unknown): Facts =>
  error instanceof ChatError && requestId === undefined
    ? { requestId: error.details.requestId, billAsks: REFUSED_ASKS }
    : {};

/** The messages up to the last question; `undefined` where parts of it were not kept over a reload. */
function askedAgain(messages: readonly Message[]): Message[] | undefined {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return !messages[last] || messages[last].notKept ? undefined : messages.slice(0, last + 1);
}

/** The messages, which begin with a greeting. */
function useMessages() {
  const { t } = useTranslation('playground');
  const [messages, setMessages] = useState<Message[]>(() => samples(t('sample.user'), t('sample.assistant')));
  const replace = useCallback(
    (id: string, next: (message: Message) => Message) =>
      setMessages((now) => now.map((message) => (message.id === id ? next(message) : message))),
    [],
  );
  const change = (id: string, part: Partial<Message>) => replace(id, (message) => ({ ...message, ...part }));
  const keepBill = useCallback(
    (id: string, bill: Bill) => replace(id, (message) => ({ ...message, facts: { ...message.facts, bill } })),
    [replace],
  );
  return { messages, setMessages, change, keepBill };
}

/** `blocked`: why nothing can be sent. */
export function useConversation(parameters: Parameters, blocked?: string) {
  const { t } = useTranslation('playground');
  const user = useAppSelector(selectUser);
  const { messages, setMessages, change, keepBill } = useMessages();
  const [cleared, setCleared] = useState<Message[]>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const { restored, forget } = useKeptConversation(messages, setMessages);
  useHeldSounds([...messages, ...(cleared ?? [])]);

  const failed = useFailure();

  /** Requests the answer that follows these messages. */
  const answer = async (said: Message[]) => {
    const reply = newMessage('assistant', '', 'loading');
    setMessages([...said, reply]);
    setCleared(undefined);
    const controller = new AbortController();
    running.current = controller;
    const started = performance.now();
    const facts: Facts = {};
    const pieces = piecesOf(
      (part) => change(reply.id, { ...part, status: 'incomplete' }),
      () => (facts.firstMs ??= performance.now() - started),
    );
    let end: Partial<Message> = { status: 'complete' };
    try {
      const got = await ask(callOf(said, parameters), {
        userId: user?.id ?? -1,
        signal: controller.signal,
        // By this id the cost can be asked for after a reload.
        onStart: (requestId) => {
          facts.requestId = requestId;
          change(reply.id, { facts: { ...facts } });
        },
        ...pieces.hooks,
      });
      end = { ...end, ...got };
    } catch (error) {
      Object.assign(facts, refusalFacts(facts, error));
      end = failed(error, controller.signal.aborted);
    }
    facts.stopped = controller.signal.aborted;
    pieces.flush();
    change(reply.id, { ...end, facts: { ...facts, totalMs: performance.now() - started } });
    if (running.current === controller) running.current = undefined;
  };

  const again = askedAgain(messages);
  const busy = messages.some(({ status }) => status === 'loading' || status === 'incomplete');
  return {
    messages,
    restored,
    busy,
    send: (text: string, attachments: Attachment[]) => void answer([...messages, questionOf(text, attachments)]),
    stop: () => running.current?.abort(),
    /** Requests the last answer again. */
    retry: () => void (again && answer(again)),
    noRetry: again ? blocked : t('noRetry'),
    keepBill,
    clear: () => {
      running.current?.abort();
      setCleared(messages.map(ended));
      forget();
      setMessages([]);
    },
    undo: cleared && (() => (setMessages(cleared), setCleared(undefined))),
  };
}
export type Conversation = ReturnType<typeof useConversation>;
