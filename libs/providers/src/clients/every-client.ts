import type { TextAdapter } from '../adapter.js';
import { messagesClient } from '../anthropic/conversation.js';
import { type ClientSide, converse, type UpstreamSide } from '../conversation/converse.js';
import { geminiClient } from '../gemini/conversation.js';
import { chatClient } from '../openai-compatible/conversation.js';
import { responsesClient } from '../responses/conversation.js';

/** Client dialects by the capability that serves them. Every provider serves each dialect listed here. */
const clients = {
  chat: chatClient,
  messages: messagesClient,
  gemini: geminiClient,
  responses: responsesClient,
} satisfies Record<string, ClientSide>;

export type ConversationCapability = keyof typeof clients;

export const conversations = Object.keys(clients) as readonly ConversationCapability[];

/** Adapters for clients of all dialects over one upstream. A provider replaces the adapter for the upstream's own dialect. */
export const everyClient = (upstream: UpstreamSide): Record<ConversationCapability, TextAdapter> =>
  Object.fromEntries(Object.entries(clients).map(([name, client]) => [name, converse(client, upstream)])) as Record<
    ConversationCapability,
    TextAdapter
  >;
