import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext, UpstreamFault } from '../adapter.js';
import type { ReadReply } from '../conversation/converse.js';
import { classifyError, findFault, unreadableReply } from '../faults/faults.js';
import { objectOf, parseObject, textOf } from '../json/json.js';
import { appendText, noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';

const DIFY = 37;

export const difyUsage = ({ metadata }: JsonObject): Usage | undefined => openAiUsage(objectOf(metadata).usage);

/** Reads `{ code, message, status }`, which also occurs within a stream. */
export function readDifyError(body: string | undefined): JsonObject {
  const json = parseObject(body ?? '') ?? {};
  const { error } = json;
  if (error !== undefined) return { error };
  return { error: { message: textOf(json.message), type: 'dify_error', code: json.code ?? '' } };
}

export function difyFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const fault = findFault(json, secrets);
  if (fault) return fault;
  const data = objectOf(json.data);
  const isFailed = json.event === 'workflow_finished' && data.status === 'failed';
  if (json.event !== 'error' && !isFailed) return undefined;
  const failure = isFailed ? { message: textOf(data.error) || 'the workflow failed', code: 'workflow_failed' } : json;
  const status = Number(json.status);
  return classifyError({
    status: status >= 400 && status <= 599 ? status : 200,
    body: readDifyError(JSON.stringify(failure)),
    channelType: DIFY,
    secrets,
  });
}

const THINKING = /<details[^>]*>\s*<summary>\s*Thinking\.\.\.\s*<\/summary>\n?/;
const END = '</details>';

/** Replaces the HTML `details` box in which Dify shows thoughts with think tags. `isThinking`: the box is open. */
export function withThinkTags(text: string, isThinking: boolean): { text: string; isThinking: boolean } {
  if (!isThinking) {
    const box = THINKING.exec(text);
    if (!box) return { text, isThinking };
    const rest = withThinkTags(text.slice(box.index + box[0].length), true);
    return { text: `${text.slice(0, box.index)}<think>${rest.text}`, isThinking: rest.isThinking };
  }
  const end = text.indexOf(END);
  if (end === -1) return { text, isThinking };
  const rest = withThinkTags(text.slice(end + END.length), false);
  return { text: `${text.slice(0, end)}</think>${rest.text}`, isThinking: rest.isThinking };
}

export function readDifyReply(body: Buffer, { secrets }: ReplyContext): ReadReply {
  const json = parseObject(body.toString('utf8'));
  const fault = json ? difyFault(json, secrets) : unreadableReply;
  if (!json || fault || typeof json.answer !== 'string')
    return { usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  const { text } = withThinkTags(json.answer, false);
  return {
    usage: difyUsage(json),
    text: () => appendText(noText, text),
    reply: {
      id: textOf(json.message_id) || textOf(json.id),
      model: '',
      choices: [{ parts: [{ type: 'text', text }], finish: 'stop' }],
    },
  };
}
