import type { PlaygroundRequest } from '@tollgate/contracts/api/chat';
import type { Bill } from '../../api/log.api.js';
import { kindOf } from './model-kind.js';

export type Role = 'user' | 'assistant';
/** `loading`: nothing was received yet; `incomplete`: the text is still growing. */
type MessageStatus = 'loading' | 'incomplete' | 'complete' | 'error';

/** Facts about an answer besides its text. */
export interface Facts {
  requestId?: string;
  firstMs?: number;
  totalMs?: number;
  stopped?: boolean;
  /** The page was left while the answer was running, so that its cost may not be known. */
  interrupted?: boolean;
  /** What the answer cost, once that is booked. */
  bill?: Bill;
  /** How often the bill is asked for at most. */
  billAsks?: number;
}

/** A file that is sent with a message. */
export interface Attachment {
  name: string;
  type: string;
  /** A `data:` address with the whole content of the file. */
  url: string;
}

/** A picture or a sound in an answer. */
export interface Media {
  kind: 'picture' | 'sound';
  url: string;
}

/** A part of a message that was not kept over a reload: a file of a question, by its name, or a part of an answer. */
export interface NotKept {
  kind: 'file' | Media['kind'] | 'text';
  name?: string;
}

export interface Message {
  id: string;
  role: Role;
  content: string;
  /** Unix milliseconds. */
  createAt: number;
  status: MessageStatus;
  attachments?: Attachment[];
  media?: Media[];
  notKept?: NotKept[];
  /** The reasoning of the model before its answer. */
  reasoning?: string;
  /** Why the answer is missing or incomplete. */
  error?: string;
  facts?: Facts;
}

/** About a minute and a half in all: a busy gateway books late, and once polling ends the cost stays unknown. */
export const MOST_ASKS = 15;

export interface Parameters {
  group: string;
  model: string;
  /** 0: the default of the model. */
  temperature: number;
  /** As typed; 0 or nothing: no limit. */
  maxTokens: string;
  system: string;
  /** Size of pictures; empty: the default of the model. */
  size: string;
  /** Voice for speech. */
  voice: string;
}

const DEFAULT_MODEL = 'gpt-4o-mini';
export const defaultParameters: Parameters = {
  group: '',
  model: DEFAULT_MODEL,
  temperature: 0,
  maxTokens: '0',
  system: 'You are a helpful assistant.',
  size: '',
  voice: 'alloy',
};

let last = 0;
export const newMessage = (role: Role, content: string, status: MessageStatus = 'complete'): Message => ({
  id: `message-${(last += 1)}`,
  role,
  content,
  createAt: Date.now(),
  status,
});

/** Marks a running answer as complete, so that a stopped answer does not look as if it were still being written. */
export const ended = (message: Message): Message =>
  message.status === 'loading' || message.status === 'incomplete'
    ? { ...message, status: 'complete', facts: { ...message.facts, stopped: true } }
    : message;

/** The number for this text, `undefined` if it is not one of whole digits. Nothing means no limit. */
export const parseMaxTokens = (text: string): number | undefined =>
  /^\d{0,7}$/.test(text.trim()) ? Number(text) : undefined;

/** Whether the field for the most tokens is shown for this kind of model, and has no number. */
export const hasBadMaxTokens = ({ model, maxTokens }: Parameters): boolean =>
  kindOf(model) === 'chat' && parseMaxTokens(maxTokens) === undefined;

const isPicture = ({ type }: Attachment): boolean => type.startsWith('image/');

function partOf(file: Attachment) {
  if (isPicture(file)) return { type: 'image_url', image_url: { url: file.url } };
  const data = file.url.slice(file.url.indexOf(',') + 1);
  return { type: 'input_audio', input_audio: { data, format: file.type.includes('wav') ? 'wav' : 'mp3' } };
}

/** Stands for a question of which nothing was kept, because a message without content is refused. */
const nameOf = ({ name = '…' }: NotKept): string => `[${name}]`;

const contentOf = ({ content, attachments = [], notKept = [] }: Message) =>
  attachments.length === 0
    ? content || notKept.map(nameOf).join(' ')
    : [...(content === '' ? [] : [{ type: 'text', text: content }]), ...attachments.map(partOf)];

/**
 * The chat request for the parameters in the panel: the system prompt first, then every message that has a text or a
 * file.
 */
export function requestOf(messages: Message[], { system, model, group, maxTokens, temperature }: Parameters) {
  const spoken = messages
    .filter(({ content, role }) => role === 'user' || content !== '')
    .map((message) => ({ role: message.role, content: contentOf(message) }));
  return {
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...spoken],
    stream: true,
    model,
    group,
    // Nothing is sent while the text is no number.
    max_tokens: parseMaxTokens(maxTokens) ?? 0,
    temperature,
  } satisfies PlaygroundRequest;
}

/** One request for the endpoint that the kind of the model needs. */
export type Call =
  | { kind: 'chat'; path: string; body: PlaygroundRequest }
  | { kind: 'picture' | 'speech'; path: string; body: Record<string, unknown> }
  | { kind: 'words'; path: string; model: string; group: string; file: Attachment | undefined };

export function callOf(messages: Message[], parameters: Parameters): Call {
  const { model, group, size, voice } = parameters;
  const kind = kindOf(model);
  const asked = messages.findLast(({ role }) => role === 'user');
  const text = asked?.content ?? '';
  if (kind === 'chat') return { kind, path: '/chat/completions', body: requestOf(messages, parameters) };
  if (kind === 'speech') return { kind, path: '/audio/speech', body: { model, group, input: text, voice } };
  if (kind === 'words') return { kind, path: '/audio/transcriptions', model, group, file: asked?.attachments?.[0] };
  const options = {
    ...(size !== '' && { size }),
    // Only DALL·E models return addresses by default; newer picture models always return base64 and refuse this
    // parameter.
    ...(model.startsWith('dall-e') && { response_format: 'b64_json' }),
  };
  return { kind, path: '/images/generations', body: { model, group, prompt: text, ...options } };
}

const KEY = '-H "Authorization: Bearer sk-..."';
const LONGEST_URL = 2000;
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Shortens attached files, whose `data:` addresses are longer than a command line may be. */
const jsonOf = (body: object): string =>
  JSON.stringify(body, (name, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_URL && (name === 'url' || name === 'data')
      ? `${value.slice(0, value.indexOf(',') + 1)}<base64>`
      : value,
  );

/** The same request as a curl command; the reader puts in their own key. */
export function curlOf(server: string, messages: Message[], parameters: Parameters): string {
  const call = callOf(messages, parameters);
  const start = `curl ${server.replace(/\/+$/, '')}/v1${call.path} \\`;
  if (call.kind === 'words') {
    const { model, file } = call;
    return [
      start,
      `  ${KEY} \\`,
      `  -F ${quoted(`model=${model}`)} -F ${quoted(`file=@${file?.name ?? 'speech.mp3'}`)}`,
    ].join('\n');
  }
  const { group: _group, ...body } = call.body;
  const json = jsonOf(body);
  const lines = [start, `  ${KEY} -H "Content-Type: application/json" \\`, `  -d ${quoted(json)}`];
  return [lines.join('\n'), ...(call.kind === 'speech' ? ['--output speech.mp3'] : [])].join(' \\\n  ');
}

/** Group names with the user's own group first. */
export const groupsInOrder = (names: string[], own: string): string[] => [
  ...names.filter((name) => name === own),
  ...names.filter((name) => name !== own),
];
