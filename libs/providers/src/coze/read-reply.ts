import type { Attempt, Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext, UpstreamFault } from '../adapter.js';
import type { Part } from '../conversation/conversation.js';
import type { ReadReply } from '../conversation/converse.js';
import { classifyError, findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { appendText, noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';

const COZE = 49;

/** Failure classes by Coze's error code, which comes with status 200; https://www.coze.cn/docs/developer_guides/coze_error_codes. */
const CLASSES: Readonly<Record<number, Attempt['class']>> = {
  4000: 'invalid',
  4001: 'invalid',
  4013: 'rate-limited',
  4019: 'rate-limited',
  4028: 'credential',
  4100: 'credential',
  4101: 'credential',
  700012006: 'credential',
};

function faultOf(code: unknown, message: string, secrets: readonly string[]): UpstreamFault {
  const error = { message, type: 'coze_error', code: String(code ?? '') };
  const fault = classifyError({ status: 200, body: { error }, channelType: COZE, secrets });
  return { ...fault, class: CLASSES[Number(code)] ?? fault.class };
}

const BROKEN = new Set(['failed', 'canceled', 'requires_action']);

/** The fault of a chat that ended without an answer. */
export function brokenChat(chat: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const status = textOf(chat.status);
  if (!BROKEN.has(status)) return undefined;
  const { code, msg } = objectOf(chat.last_error);
  return faultOf(code ?? status, textOf(msg) || `the chat ended as ${status}`, secrets);
}

/** The fault in `{ code, msg }` with a code other than 0. */
export function cozeFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const { code } = json;
  const isRefused = (typeof code === 'number' && code !== 0) || (typeof code === 'string' && !/^0?$/.test(code));
  return isRefused ? faultOf(code, textOf(json.msg) || textOf(json.message), secrets) : findFault(json, secrets);
}

export function cozeUsage({ usage }: JsonObject): Usage | undefined {
  const { input_count, output_count, token_count } = objectOf(usage);
  if (input_count === undefined && output_count === undefined && token_count === undefined) return undefined;
  return openAiUsage({
    prompt_tokens: input_count ?? 0,
    completion_tokens: output_count,
    total_tokens: token_count,
  });
}

/** The parts of the answer, including the reasoning of the model. */
function partsOf(messages: JsonObject[]): Part[] {
  const answers = messages.filter(({ role, type }) => role === 'assistant' && type === 'answer');
  return answers.flatMap((message): Part[] => {
    const thought = textOf(message.reasoning_content);
    return [
      ...(thought ? [{ type: 'thinking' as const, text: thought }] : []),
      { type: 'text' as const, text: textOf(message.content) },
    ];
  });
}

/** Reads a finished chat with its messages, as `followUp` assembles them; or the error that Coze sent instead. */
export function readCozeReply(body: Buffer, { secrets }: ReplyContext): ReadReply {
  const json = parseObject(body.toString('utf8'));
  const chat = objectOf(json?.chat ?? json?.data);
  const fault = json ? (cozeFault(json, secrets) ?? brokenChat(chat, secrets)) : unreadableReply;
  const parts = partsOf(arrayOf(json?.messages).map(objectOf));
  if (fault || parts.length === 0) return { usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  const words = parts.map((part) => ('text' in part ? part.text : '')).join('');
  return {
    usage: cozeUsage(chat),
    text: () => appendText(noText, words),
    reply: { id: textOf(chat.id), model: '', choices: [{ parts, finish: 'stop' }] },
  };
}
