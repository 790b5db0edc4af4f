import type { TextAdapter } from '../adapter.js';
import { messagesClient } from '../anthropic/conversation.js';
import { type ClientSide, converse, type UpstreamSide } from '../conversation/converse.js';
import { geminiClient } from '../gemini/conversation.js';
import { chatClient } from '../openai-compatible/conversation.js';
import { responsesClient } from '../responses/conversation.js';

/** The dialects that clients speak, by the capability of a provider that serves them. A new one is a row here, and every provider serves it. */
const clients = {
  chat: chatClient,
  messages: messagesClient,
  gemini: geminiClient,
  responses: responsesClient,
} satisfies Record<string, ClientSide>;

export type ConversationCapability = keyof typeof clients;

/** What clients of every dialect get from one upstream; a provider replaces those that speak the upstream's own dialect. */
export const everyClient = (upstream: UpstreamSide): Record<ConversationCapability, TextAdapter> =>
  Object.fromEntries(Object.entries(clients).map(([name, client]) => [name, converse(client, upstream)])) as Record<
    ConversationCapability,
    TextAdapter
  >;
