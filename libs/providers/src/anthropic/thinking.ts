import type { ClientRequest, Json, JsonObject } from '../adapter.js';
import { arrayOf, objectOf } from '../json/json.js';
import { PLACEHOLDER } from './write-request.js';

/** Anthropic refuses a smaller budget of thinking. */
export const MIN_BUDGET = 1024;

/** A thought of another upstream, which signs none: we wrote it with an empty signature, and the client sends it back. */
const isUnsigned = ({ type, signature }: JsonObject): boolean => type === 'thinking' && signature === '';

const isThought = (block: JsonObject): boolean =>
  block.type === 'redacted_thinking' || (block.type === 'thinking' && !isUnsigned(block));

/** Whether a budget is set. Adaptive thinking has none, and none of its conditions. */
export const hasBudget = ({ thinking }: JsonObject): boolean => objectOf(thinking).type === 'enabled';

/**
 * Whether the answer continues a turn whose calls have lost their thoughts. Anthropic refuses a budget of thinking then; without one, the
 * turn goes on.
 */
export function continuesBareCalls(messages: Json | undefined): boolean {
  const last = arrayOf(messages).findLast((message) => objectOf(message).role === 'assistant');
  const blocks = arrayOf(objectOf(last).content).map(objectOf);
  return blocks.some(({ type }) => type === 'tool_use') && !blocks.some(isThought);
}

/** Whether the answer must be a call of a tool. Anthropic refuses a budget of thinking then. */
export function demandsCall({ tool_choice: choice }: JsonObject): boolean {
  const { type } = objectOf(choice);
  return type === 'any' || type === 'tool';
}

/** With thinking, Anthropic accepts no lower `top_p`, and neither `temperature` nor `top_k`. */
const MIN_TOP_P = 0.95;

/**
 * A body whose budget of thinking fits Anthropic's conditions, for clients that do not know them. The budget is below the limit; without
 * room for it, or where a call is demanded, there is no thinking.
 */
export function withFittingBudget(body: JsonObject): JsonObject {
  if (!hasBudget(body)) return body;
  const { thinking, temperature: _, top_k: __, top_p: topP, ...rest } = body;
  const most = Number(body.max_tokens) - 1;
  if (most < MIN_BUDGET || demandsCall(body)) return { ...body, thinking: undefined };
  const budget = Math.min(Math.max(Number(objectOf(thinking).budget_tokens), MIN_BUDGET), most);
  return {
    ...rest,
    thinking: { type: 'enabled', budget_tokens: budget },
    ...(Number(topP) >= MIN_TOP_P && { top_p: topP }),
  };
}

const MARK = '"signature"';
const EMPTY = /^\s*:\s*""/;
/** Enough for the white space of any client. */
const NEAR = 16;

/** Quick check, so that the messages of most requests are not parsed. */
function hasEmptySignature(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + 1)) {
    const from = at + MARK.length;
    if (EMPTY.test(bytes.toString('latin1', from, from + NEAR))) return true;
  }
  return false;
}

function signedOnly(message: Json): Json {
  const { content, ...rest } = objectOf(message);
  if (!Array.isArray(content)) return message;
  const kept = content.filter((block) => !isUnsigned(objectOf(block)));
  if (kept.length === content.length) return message;
  return { ...rest, content: kept.length > 0 ? kept : [{ type: 'text', text: PLACEHOLDER }] };
}

/** A client's messages without unsigned thoughts, which Anthropic refuses; `undefined` if there are none. */
export function withoutUnsigned({ bytes, json }: ClientRequest): Json[] | undefined {
  if (!hasEmptySignature(bytes)) return undefined;
  const messages = arrayOf(json.messages);
  const signed = messages.map(signedOnly);
  return signed.some((message, index) => message !== messages[index]) ? signed : undefined;
}
