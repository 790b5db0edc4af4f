import type { Usage } from '@tollgate/contracts';
import type { JsonObject, ReplyContext, UpstreamFault } from '../adapter.js';
import type { Part, ToolCallPart } from '../conversation/conversation.js';
import type { ReadReply } from '../conversation/converse.js';
import { classifyError, findFault, unreadableReply } from '../faults/faults.js';
import { arrayOf, isObject, objectOf, parseObject, textOf } from '../json/json.js';
import { appendText, noText } from '../stream/transcript.js';
import { openAiUsage } from '../usage.js';

const FINISHES: Readonly<Record<string, string>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  USER_CANCEL: 'stop',
  MAX_TOKENS: 'length',
  ERROR_LIMIT: 'length',
  ERROR_TOXIC: 'content_filter',
};

/** The finish reason; Cohere has none for tool calls, whose answer is complete. */
export const finishOf = (reason: string, calls: number): string =>
  calls > 0 && (reason === '' || reason === 'COMPLETE')
    ? 'tool_calls'
    : (FINISHES[reason] ?? (reason.toLowerCase() || 'stop'));

/** The billed units, else the counted tokens. */
export function cohereUsage(meta: unknown): Usage | undefined {
  const { billed_units: billed, tokens } = objectOf(meta);
  return openAiUsage(billed) ?? openAiUsage(tokens);
}

/** Reads tool calls. Cohere gives them no id, only the tool's name. */
export const callsOf = (value: unknown): ToolCallPart[] =>
  arrayOf(value)
    .map(objectOf)
    .map(({ name, parameters }) => ({
      type: 'tool-call',
      id: '',
      name: textOf(name),
      arguments: JSON.stringify(parameters ?? {}),
    }));

/** A failed answer with status 200: `{ finish_reason: 'ERROR' }`, or a message without an answer. */
export function cohereFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const fault = findFault(json, secrets);
  if (fault) return fault;
  const hasAnswer = typeof json.text === 'string' || isObject(json.response) || typeof json.event_type === 'string';
  const isBroken = json.finish_reason === 'ERROR' || (typeof json.message === 'string' && !hasAnswer);
  return isBroken ? classifyError({ status: 200, body: json, channelType: 34, secrets }) : undefined;
}

export const wordsOf = (text: string, calls: ToolCallPart[]): string =>
  text + calls.map(({ name, arguments: written }) => name + written).join('');

export function readCohereReply(body: Buffer, { secrets }: ReplyContext): ReadReply {
  const json = parseObject(body.toString('utf8'));
  const fault = json ? cohereFault(json, secrets) : unreadableReply;
  if (!json || fault || typeof json.text !== 'string')
    return { usage: undefined, fault: fault ?? unreadableReply, text: () => noText };
  const { text } = json;
  const calls = callsOf(json.tool_calls);
  const parts: Part[] = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls];
  return {
    usage: cohereUsage(json.meta),
    text: () => appendText(noText, wordsOf(text, calls), calls.length),
    reply: {
      id: textOf(json.response_id) || textOf(json.generation_id),
      model: '',
      choices: [{ parts, finish: finishOf(textOf(json.finish_reason), calls.length) }],
    },
  };
}
