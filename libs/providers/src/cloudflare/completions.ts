import type { Usage } from '@tollgate/contracts';
import type {
  ChannelTarget,
  ClientRequest,
  JsonObject,
  ReplyContext,
  TextAdapter,
  UpstreamRequest,
} from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { stated } from '../conversation/conversation.js';
import { limitedBy, unchangedOver } from '../conversation/unchanged.js';
import { textOf } from '../json/json.js';
import { type Quirks, urlOf } from '../openai-compatible/quirks.js';
import { headersOf } from '../openai-compatible/request.js';
import type { FoldState, StreamFold } from '../stream/stream-fold.js';
import { beforeFirstEvent, ConvertedStream, dataFrame, readJsonEvent } from '../stream/stream-fold.js';
import { appendText, noText } from '../stream/transcript.js';
import { laterUsage, openAiUsage, toOpenAiUsage } from '../usage.js';
import { readResult, runPath } from './run.js';

function promptOf({ prompt }: JsonObject): string {
  const [only] = Array.isArray(prompt) && prompt.length === 1 ? prompt : [prompt];
  if (typeof only === 'string') return only;
  throw new RequestRejected('invalid_text_request', 'Workers AI completes one text at a time');
}

const limitOf = (requested: JsonObject['max_tokens'], outputLimit: number | undefined): number | undefined => {
  const own = typeof requested === 'number' && requested > 0 ? requested : undefined;
  return outputLimit === undefined ? own : Math.min(own ?? outputLimit, outputLimit);
};

const completion = (
  text: string,
  finish: string | null,
  { requestId, nowSeconds, model }: ReplyContext,
): JsonObject => ({
  id: `cmpl-${requestId}`,
  object: 'text_completion',
  created: nowSeconds,
  model,
  choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
});

const withUsage = (json: JsonObject, usage: Usage | undefined): JsonObject =>
  usage ? { ...json, usage: toOpenAiUsage(usage) } : json;

/** Reads `data: {"response":"…"}` events, then the usage, then `[DONE]`. */
const fold: StreamFold<FoldState> = {
  clientDialect: 'openai',
  initialState: () => beforeFirstEvent,
  fromStreamEvent(before, event, context) {
    if (event.data?.trim() === '[DONE]') return { state: { ...before, isDone: true }, frames: [] };
    const { json, state } = readJsonEvent(before, event, context);
    if (!json) return { state, frames: [] };
    const text = textOf(json.response);
    const usage = laterUsage(openAiUsage(json.usage), state.usage);
    const next = { ...state, ...(usage && { usage }), content: appendText(state.content, text) };
    return { state: next, frames: text === '' ? [] : [dataFrame(completion(text, null, context))] };
  },
  lastFrames(_, context, usage) {
    const owed = context.includeUsage ? usage : undefined;
    const closing = completion('', 'stop', context);
    return [
      dataFrame(closing),
      ...(owed ? [dataFrame(withUsage({ ...closing, choices: [] }, owed))] : []),
      'data: [DONE]\n\n',
    ];
  },
};

/** Completions via Workers AI's run call, because its OpenAI-compatible paths have none. */
export function cloudflareCompletions(quirks: Quirks): TextAdapter {
  const toUpstream: TextAdapter['toUpstream'] = (request, target) => runRequest(request, target, quirks);
  return {
    toUpstream,
    ...unchangedOver(
      limitedBy('max_tokens'),
      { toUpstream },
      { conversation: { prompt: '...' }, errorCode: 'invalid_text_request' },
    ),
    ...replies,
  };
}

function runRequest({ json, outputLimit }: ClientRequest, target: ChannelTarget, quirks: Quirks): UpstreamRequest {
  const path = runPath(target.model);
  return {
    method: 'POST',
    url: quirks.url?.(target, path) ?? urlOf(target, quirks, path),
    headers: headersOf(target, quirks, json.stream === true),
    body: Buffer.from(
      JSON.stringify(
        stated<JsonObject>({
          prompt: promptOf(json),
          max_tokens: limitOf(json.max_completion_tokens || json.max_tokens, outputLimit),
          stream: json.stream === true,
          temperature: json.temperature,
          top_p: json.top_p,
          seed: json.seed,
          frequency_penalty: json.frequency_penalty,
          presence_penalty: json.presence_penalty,
        }),
      ),
    ),
  };
}

const replies: Pick<TextAdapter, 'fromReply' | 'openStream'> = {
  fromReply(body, context) {
    const read = readResult(body, context);
    if (!read.result) return { body, usage: undefined, fault: read.fault, text: () => noText };
    const text = textOf(read.result.response);
    const usage = openAiUsage(read.result.usage);
    const json = completion(text, 'stop', context);
    const bodyWith = (booked: Usage | undefined): Buffer => Buffer.from(JSON.stringify(withUsage(json, booked)));
    return { body: bodyWith(usage), usage, text: () => appendText(noText, text), withUsage: bodyWith };
  },

  openStream: (context) => new ConvertedStream(fold, context),
};
