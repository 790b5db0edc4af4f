import type { PlaygroundRequest } from '@tollgate/contracts/api/chat';

export type Role = 'user' | 'assistant';
/** `loading`: nothing came yet; `incomplete`: the text grows. */
export type MessageStatus = 'loading' | 'incomplete' | 'complete' | 'error';

/** What is known of an answer besides its text. */
export interface Facts {
  requestId?: string;
  firstMs?: number;
  totalMs?: number;
  stopped?: boolean;
}

export interface Message {
  id: string;
  role: Role;
  content: string;
  /** Unix milliseconds. */
  createAt: number;
  status: MessageStatus;
  /** Why there is no (whole) answer. */
  error?: string;
  facts?: Facts;
}

export interface Parameters {
  group: string;
  model: string;
  /** 0: the model's own. */
  temperature: number;
  /** 0: no limit. */
  maxTokens: number;
  system: string;
}

export const DEFAULT_MODEL = 'gpt-4o-mini';
export const defaultParameters: Parameters = {
  group: '',
  model: DEFAULT_MODEL,
  temperature: 0,
  maxTokens: 0,
  system: 'You are a helpful assistant.',
};

let last = 0;
export const newMessage = (role: Role, content: string, status: MessageStatus = 'complete'): Message => ({
  id: `message-${(last += 1)}`,
  role,
  content,
  createAt: Date.now(),
  status,
});

/** Whole digits only; an empty or broken text means no limit. */
export const parseMaxTokens = (text: string): number => (/^\d{1,7}$/.test(text.trim()) ? Number(text) : 0);

/** What the panel shows is what is sent: the system prompt first, then every message that has a text. */
export function requestOf(messages: Message[], { system, model, group, maxTokens, temperature }: Parameters) {
  const spoken = messages
    .filter(({ content, role }) => role === 'user' || content !== '')
    .map(({ role, content }) => ({ role, content }));
  return {
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...spoken],
    stream: true,
    model,
    group,
    max_tokens: maxTokens,
    temperature,
  } satisfies PlaygroundRequest;
}

/** The same request for a terminal; the key is the reader's own. */
export function curlOf(server: string, messages: Message[], parameters: Parameters): string {
  const { group: _group, ...body } = requestOf(messages, parameters);
  const json = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return [
    `curl ${server.replace(/\/+$/, '')}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer sk-..." -H "Content-Type: application/json" \\`,
    `  -d '${json}'`,
  ].join('\n');
}

/** The person's own group first. */
export const groupsInOrder = (names: string[], own: string): string[] => [
  ...names.filter((name) => name === own),
  ...names.filter((name) => name !== own),
];
