import { arrayOf, type Dialect, isPlainObject, type Json, type JsonObject, textOf } from '@tollgate/providers';
import { type Endpoint, ENDPOINTS } from '../call/endpoints.js';
import { withoutShown } from './picture-texts.js';
import { promptMember, promptText, PromptWords } from './prompt-text.js';
import { BETWEEN_TEXTS } from './separate-texts.js';
import { roughTokens } from './token-counter.js';

/** The parts of our own count of a prompt. */
export interface CountedPrompt {
  /** The words of the prompt; parts separated by `BETWEEN_TEXTS` are counted independently. */
  text: string;
  /** Additional tokens that frame messages and tools. */
  added: number;
}

/** Tokens that frame a message of a chat, a name in it, the coming answer, and a function. */
const CHAT = { message: 3, name: 1, answer: 3, tool: 8 };
/** The oldest model frames messages differently. */
const OLDEST = 'gpt-3.5-turbo-0301';
const OLDEST_CHAT = { ...CHAT, message: 4, name: -1 };
const CLAUDE = { message: 2, tool: 3 };

/** Roles that are one token each in all vocabularies. */
const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

const objectsOf = (value: Json | undefined): JsonObject[] => arrayOf(value).filter(isPlainObject);
const writtenOf = (value: Json | undefined): string => (value === undefined ? '' : JSON.stringify(value));

/** A request whose prompt is counted. */
export interface PromptRequest {
  json: JsonObject;
  endpoint: Endpoint;
  /** Pictures in texts of earlier answers are not sent as text. */
  convertsPictureTexts?: boolean;
}

/** The messages as they are sent. Those that are converted are read whole, because a picture that is cut is none. */
function messagesOf({ json, convertsPictureTexts }: PromptRequest, name = 'messages'): JsonObject[] {
  return convertsPictureTexts ? objectsOf(json[name]).map(withoutShown) : objectsOf(promptMember(json, name));
}

const counts: Readonly<Record<Dialect, (request: PromptRequest, model: string) => CountedPrompt>> = {
  openai: openAiPrompt,
  anthropic: claudePrompt,
  responses: (request) => (request.convertsPictureTexts ? itemsPrompt(request) : plainPrompt(request, '\n')),
  gemini: (request) => plainPrompt(request, request.endpoint === 'gemini' ? '\n' : ''),
};

/** The words of a request and the tokens of their framing, by the rules of its dialect. */
export const countedPrompt = (request: PromptRequest, model: string): CountedPrompt =>
  counts[ENDPOINTS[request.endpoint].dialect](request, model);

const plainPrompt = ({ json }: PromptRequest, glue: string): CountedPrompt => ({
  text: promptText(json, glue),
  added: 0,
});

function openAiPrompt(request: PromptRequest, model: string): CountedPrompt {
  if (request.endpoint === 'chat') return chatPrompt(request, model === OLDEST ? OLDEST_CHAT : CHAT);
  return plainPrompt(request, request.endpoint === 'rerank' ? BETWEEN_TEXTS : '');
}

function itemsPrompt(request: PromptRequest): CountedPrompt {
  const words = new PromptWords();
  const input = promptMember(request.json, 'input');
  words.add(Array.isArray(input) ? messagesOf(request, 'input') : input);
  words.addMembers(request.json, ['input']);
  return { text: words.parts.join('\n'), added: 0 };
}

/** An estimate of the prompt's tokens without a tokenizer. */
export function roughPrompt(request: PromptRequest, model: string): number {
  const { text, added } = countedPrompt(request, model);
  return roughTokens(text) + added;
}

/** A known role is one token; an unknown one is counted with the words. */
function roleTokens(words: PromptWords, role: Json | undefined): number {
  if (typeof role === 'string' && ROLES.has(role)) return 1;
  words.add(role);
  return 0;
}

function chatPrompt(request: PromptRequest, frame: typeof CHAT): CountedPrompt {
  const { json } = request;
  const words = new PromptWords();
  let added = frame.answer;
  for (const message of messagesOf(request)) {
    const { role, name, tool_calls: calls, tool_call_id: _, ...said } = message;
    added += frame.message + roleTokens(words, role);
    words.add(said);
    words.add(objectsOf(calls).map(({ id: _id, ...call }) => call));
    if (typeof name !== 'string' || (said.content ?? null) === null) continue;
    added += frame.name;
    words.add(name);
  }
  for (const tool of objectsOf(promptMember(json, 'tools'))) {
    const { function: called } = tool;
    if (!isPlainObject(called)) {
      words.add(tool);
      continue;
    }
    added += frame.tool;
    words.add(`${textOf(called.name)}${textOf(called.description)}${writtenOf(called.parameters)}`);
  }
  words.addMembers(json, ['messages', 'tools']);
  return { text: words.parts.join(BETWEEN_TEXTS), added };
}

function claudePrompt(request: PromptRequest): CountedPrompt {
  const { json } = request;
  const words = new PromptWords();
  let added = 0;
  for (const { role, content } of messagesOf(request)) {
    added += CLAUDE.message + roleTokens(words, role);
    if (Array.isArray(content)) for (const block of content) addBlock(words, block);
    else words.add(content);
  }
  for (const { name, description, input_schema: schema } of objectsOf(promptMember(json, 'tools'))) {
    added += CLAUDE.tool;
    for (const text of [textOf(name), textOf(description), writtenOf(schema)]) words.add(text);
  }
  words.addMembers(json, ['messages', 'tools']);
  return { text: words.parts.join(BETWEEN_TEXTS), added };
}

/** Tool calls and their results count as the JSON text they are written in. */
function addBlock(words: PromptWords, block: Json): void {
  if (!isPlainObject(block)) return words.add(block);
  const { type, name, input, content } = block;
  if (type === 'tool_use') {
    words.add(name);
    words.add(writtenOf(input));
  } else if (type === 'tool_result') words.add(isWritten(content) ? writtenOf(content) : content);
  else words.add(block);
}

/** Whether a tool result is only text; pictures in it are counted elsewhere. */
const isWritten = (content: Json | undefined): boolean =>
  typeof content === 'string' || (Array.isArray(content) && objectsOf(content).every(({ type }) => type === 'text'));
