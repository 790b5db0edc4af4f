import type { Usage } from '@tollgate/contracts';
import type { Json, JsonObject, ReplyContext } from '../adapter.js';
import type { FinishReason } from '../conversation/conversation.js';
import { objectOf, textOf } from '../json/json.js';
import { toResponsesUsage } from '../usage.js';

const withoutDashes = (id: string): string => id.replaceAll('-', '');

const responseId = ({ requestId }: ReplyContext): string => `resp_${withoutDashes(requestId)}`;

/** Id of the n-th item of an answer; `prefix` identifies its kind, such as `msg`. */
export const itemId = ({ requestId }: ReplyContext, prefix: string, index: number): string =>
  `${prefix}_${withoutDashes(requestId)}${String(index).padStart(4, '0')}`;

/** Members longer than this are not echoed, because a stream repeats the response object three times. */
const MAX_ECHO = 64 * 1024;

/** The value from the request, if it is short enough to be echoed. */
function echo(value: Json | undefined, fallback: Json): Json {
  if (value === undefined || value === null) return fallback;
  return JSON.stringify(value).length <= MAX_ECHO ? value : fallback;
}

/** Members of the request that the response repeats. `store` is always false, because nothing is stored here. */
function echoedMembers({ request: json = {} }: ReplyContext): JsonObject {
  const reasoning = objectOf(json.reasoning);
  return {
    instructions: echo(json.instructions, null),
    max_output_tokens: json.max_output_tokens ?? null,
    metadata: echo(json.metadata, {}),
    parallel_tool_calls: json.parallel_tool_calls ?? true,
    previous_response_id: null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    store: false,
    temperature: json.temperature ?? 1,
    text: echo(json.text, { format: { type: 'text' } }),
    tool_choice: echo(json.tool_choice, 'auto'),
    tools: echo(json.tools, []),
    top_p: json.top_p ?? 1,
    truncation: 'disabled',
    user: textOf(json.user) || null,
  };
}

export interface ResponseState {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  model: string;
  output: JsonObject[];
  usage?: Usage | undefined;
  error?: JsonObject;
  /** Why an answer is incomplete. */
  reason?: string;
}

/** The response object, complete or in progress. */
export const responseObject = (
  { status, model, output, usage, error, reason }: ResponseState,
  context: ReplyContext,
): JsonObject => ({
  id: responseId(context),
  object: 'response',
  created_at: context.nowSeconds,
  status,
  background: false,
  error: error ?? null,
  incomplete_details: reason === undefined ? null : { reason },
  model: model || context.model,
  output,
  ...echoedMembers(context),
  usage: usage ? toResponsesUsage(usage) : null,
});

const INCOMPLETE: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  max_tokens: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** Status and reason by finish reason. */
export function endOf(finish: FinishReason): Pick<ResponseState, 'status' | 'reason'> {
  const reason = INCOMPLETE[finish];
  return reason === undefined ? { status: 'completed' } : { status: 'incomplete', reason };
}
