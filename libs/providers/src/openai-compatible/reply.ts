import type { Usage } from '@tollgate/contracts';
import type { JsonObject, Reply, ReplyContext } from '../adapter.js';
import { CLOSE_THOUGHT, OPEN_THOUGHT } from '../conversation/thoughts.js';
import { findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, isObject, objectOf, parseObject, textOf } from '../json/json.js';
import { appendText, noText } from '../stream/transcript.js';
import type { UsageQuirks } from '../usage.js';
import { openAiUsage } from '../usage.js';
import { readOpenAiPart } from './parts.js';
import { standardMembers } from './standard-choices.js';

const replyText = (json: JsonObject) => {
  const { text, toolCalls } = readOpenAiPart(json);
  return appendText(noText, text, toolCalls);
};

/** Moves reasoning into the content of each choice, between think tags. */
function thinkingAsContent(json: JsonObject): JsonObject {
  const choices = arrayOf(json.choices).map((item) => {
    const choice = objectOf(item);
    const { reasoning_content: long, reasoning: short, ...message } = objectOf(choice.message);
    const thought = textOf(long) || textOf(short);
    if (!thought) return item;
    return {
      ...choice,
      message: { ...message, content: OPEN_THOUGHT + thought + CLOSE_THOUGHT + textOf(message.content) },
    };
  });
  return { ...json, choices };
}

const MEMBERS = ['id', 'object', 'created', 'model', 'system_fingerprint', 'choices', 'usage'];

/** Only the members of a standard reply, for clients that fail on others. */
const standardReply = (json: JsonObject, { nowSeconds, requestId, model }: ReplyContext): JsonObject => ({
  ...{ id: `chatcmpl-${requestId}`, object: 'chat.completion', created: nowSeconds, model },
  ...standardMembers(json, MEMBERS),
});

/** Applies the settings `force_format` and `thinking_to_content`. */
function shaped(body: Buffer, json: JsonObject, context: ReplyContext): Buffer {
  const { force_format: forced, thinking_to_content: moved } = context.setting;
  if (!forced && !moved) return body;
  const standard = forced ? standardReply(json, context) : json;
  return Buffer.from(JSON.stringify(moved ? thinkingAsContent(standard) : standard));
}

/**
 * Reads a reply in OpenAI's dialect for a client of the same dialect. The client gets the upstream's bytes, which are parsed for usage and
 * errors.
 */
export function openAiReply(body: Buffer, context: ReplyContext, quirks: UsageQuirks, list: 'choices' | 'data'): Reply {
  const json = parseObject(body.toString('utf8'));
  const fault = json ? findFault(json, context.secrets) : unreadableReply;
  if (!json || fault || !Array.isArray(json[list])) {
    return { body, usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  }
  const usageOf = (block: unknown): Usage | undefined =>
    openAiUsage(block, list === 'data' ? { ...quirks, hasNoOutput: true } : quirks);
  const choiceUsage = list === 'choices' && isObject(json[list]?.[0]) ? json[list][0].usage : undefined;
  return {
    body: list === 'choices' ? shaped(body, json, context) : body,
    usage: usageOf(json.usage) ?? usageOf(choiceUsage),
    text: () => replyText(json),
  };
}
