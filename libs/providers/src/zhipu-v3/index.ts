import type { Attempt } from '@tollgate/contracts';
import {
  type ChannelTarget,
  ChannelUnusable,
  type ClientRequest,
  type JsonObject,
  type Provider,
  type UpstreamFault,
  type UpstreamRequest,
} from '../adapter.js';
import { everyClient } from '../clients/every-client.js';
import type { Conversation } from '../conversation/conversation.js';
import { stated } from '../conversation/conversation.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { findFault } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { errorOf, faultOf, type Piece, plainReader, plainReply } from '../plain/reply.js';
import {
  jsonRequest,
  overridden,
  PLACEHOLDER,
  type PlainMessage,
  refuseTools,
  textOnly,
  within,
} from '../plain/request.js';
import { openAiUsage } from '../usage.js';
import { zhipuToken } from '../zhipu-v4/token.js';
import { zhipuFraming } from './events.js';

const NAME = 'Zhipu v3';
const DEFAULT_BASE_URL = 'https://open.bigmodel.cn';

/** The prompt's messages. The system text is followed by a user message, as the API expects. */
function promptOf({ system, turns }: Conversation): PlainMessage[] {
  const rules = textOnly(system, NAME);
  return [
    ...(rules
      ? [
          { role: 'system', content: rules },
          { role: 'user', content: 'Okay' },
        ]
      : []),
    ...turns.map(({ role, parts }) => ({ role, content: textOnly(parts, NAME) || PLACEHOLDER })),
  ];
}

function writeRequest(conversation: Conversation, request: ClientRequest, target: ChannelTarget): UpstreamRequest {
  refuseTools(conversation, NAME);
  const { sampling, stream } = conversation;
  const json = stated<JsonObject>({
    prompt: promptOf(conversation).map((message): JsonObject => ({ ...message })),
    temperature: within(sampling.temperature, 0.01, 0.99),
    top_p: within(sampling.topP, 0.01, 0.99),
    // For streams: events contain only new text instead of all text so far.
    incremental: stream === true,
  });
  const base = (target.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, '');
  const method = stream === true ? 'sse-invoke' : 'invoke';
  const url = `${base}/api/paas/v3/model-api/${encodeURIComponent(target.model)}/${method}`;
  return jsonRequest(url, overridden(json, request, target), stream === true);
}

/** Failure classes by leading digits of the error code; https://open.bigmodel.cn/dev/api/error-code. */
const classes: readonly [RegExp, Attempt['class']][] = [
  [/^(100|11[01])\d?/, 'credential'],
  [/^130[2-9]/, 'rate-limited'],
  [/^(12|1300|1301)/, 'invalid'],
];

function fault(code: string | number, message: string, secrets: readonly string[]): UpstreamFault {
  const found = classes.find(([pattern]) => pattern.test(String(code)));
  return faultOf({ message, type: 'zhipu_error', code }, found?.[1] ?? 'upstream', secrets);
}

const isStated = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

function zhipuFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  if (json.event === 'error' || json.event === 'interrupted') {
    const failure = parseObject(textOf(json.data)) ?? {};
    const words = textOf(failure.msg) || textOf(failure.message) || textOf(json.data) || textOf(json.event);
    return fault(isStated(failure.code) ? failure.code : '', words, secrets);
  }
  if (json.success === false) return fault(isStated(json.code) ? json.code : '', textOf(json.msg), secrets);
  const { error } = json;
  const { code, message } = objectOf(error);
  if (isStated(code)) return fault(code, textOf(message), secrets);
  return findFault(json, secrets);
}

/** Some models return the text as a quoted JSON string. */
function unquoted(text: string): string {
  if (!/^\s*".*"\s*$/s.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function wholeOf(json: JsonObject): Piece | undefined {
  const data = objectOf(json.data);
  if (!Array.isArray(data.choices)) return undefined;
  return {
    id: textOf(data.task_id),
    text: arrayOf(data.choices)
      .map((choice) => unquoted(textOf(objectOf(choice).content)))
      .join(''),
    finish: 'stop',
    usage: openAiUsage(data.usage),
  };
}

function pieceOf({ event, data, meta }: JsonObject): Piece {
  const facts = objectOf(meta);
  return {
    id: textOf(facts.task_id),
    text: textOf(data),
    finish: event === 'finish' || meta ? 'stop' : '',
    usage: openAiUsage(facts.usage),
  };
}

const upstream: UpstreamSide = {
  writeRequest,
  readReply: plainReply(wholeOf, zhipuFault),
  reader: plainReader(pieceOf, zhipuFault),
  framing: zhipuFraming,
  raw: {},
};

/** Version 3 of Zhipu's API: prompts, and a stream format of its own. */
export const zhipuV3 = {
  ...everyClient(upstream),
  heedsNoLimit: true,
  authorize: async (_, { key, nowMs }) => {
    const token = zhipuToken(key, nowMs);
    if (token === undefined) throw new ChannelUnusable('channel:invalid_key', 'invalid zhipu key: it is not id.secret');
    return { headers: { authorization: token } };
  },
  readError(body) {
    const json = parseObject(body ?? '') ?? {};
    const found = zhipuFault(json, []);
    return found ? errorOf(found) : json;
  },
} satisfies Provider;
