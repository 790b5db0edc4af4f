import type { Attempt } from '@tollgate/contracts';
import type { JsonObject, Provider, UpstreamFault } from '../adapter.js';
import { everyClient } from '../clients/every-client.js';
import type { UpstreamSide } from '../conversation/converse.js';
import { findFault } from '../faults/faults.js';
import { arrayOf, objectOf, parseObject, textOf } from '../json/json.js';
import { errorOf, faultOf, type Piece, type PlainCall, plainReader, plainReply } from '../plain/reply.js';
import { openAiUsage } from '../usage.js';
import { tencentRequest } from './request.js';
import { tencentHeaders } from './sign.js';

/** Failure classes by prefix of the error code; https://cloud.tencent.com/document/product/1729/101846. */
const classes: readonly [RegExp, Attempt['class']][] = [
  [
    /^(AuthFailure|UnauthorizedOperation|FailedOperation\.(ServiceNotActivated|ServiceStop|FreeResource))/,
    'credential',
  ],
  [/^(ResourceUnavailable\.InArrears|ResourceInsufficient|FailedOperation\.ResourcePackExhausted)/, 'credential'],
  [/^(RequestLimitExceeded|LimitExceeded|FailedOperation\.UserLimit)/, 'rate-limited'],
  [/^(InvalidParameter|MissingParameter|UnknownParameter|UnsupportedOperation|OperationDenied)/, 'invalid'],
];

/** Finds an error, which Tencent sends with status 200: in the envelope common to its services or, within a stream, without it. */
function tencentFault(json: JsonObject, secrets: readonly string[]): UpstreamFault | undefined {
  const error = objectOf(objectOf(json.Response).Error);
  const inStream = objectOf(json.ErrorMsg);
  const isNumber = typeof inStream.Code === 'number';
  const code = textOf(error.Code) || (isNumber ? String(inStream.Code) : textOf(inStream.Code));
  const message = textOf(error.Message) || textOf(inStream.Msg);
  if (code === '' && message === '') return findFault(json, secrets);
  const found = classes.find(([pattern]) => pattern.test(code));
  return faultOf({ message, type: 'tencent_error', code }, found?.[1] ?? 'upstream', secrets);
}

const callsOf = (message: JsonObject): PlainCall[] =>
  arrayOf(message.ToolCalls).map((item, position) => {
    const call = objectOf(item);
    const fn = objectOf(call.Function);
    const index = typeof call.Index === 'number' ? call.Index : position;
    return { index, id: textOf(call.Id), name: textOf(fn.Name), arguments: textOf(fn.Arguments) };
  });

const toFinish = (reason: string): string => (reason === 'sensitive' ? 'content_filter' : reason);

function pieceOf(json: JsonObject): Piece {
  const choice = objectOf(arrayOf(json.Choices)[0]);
  const message = objectOf(choice.Delta ?? choice.Message);
  const { PromptTokens: prompt_tokens, CompletionTokens: completion_tokens } = objectOf(json.Usage);
  return {
    id: textOf(json.Id),
    model: textOf(json.Model),
    text: textOf(message.Content),
    reasoning: textOf(message.ReasoningContent),
    calls: callsOf(message),
    finish: toFinish(textOf(choice.FinishReason)),
    usage: openAiUsage({ prompt_tokens, completion_tokens }),
  };
}

function wholeOf(json: JsonObject): Piece | undefined {
  const response = objectOf(json.Response ?? json);
  return Array.isArray(response.Choices) ? pieceOf(response) : undefined;
}

const upstream: UpstreamSide = {
  writeRequest: tencentRequest,
  readReply: plainReply(wholeOf, tencentFault),
  reader: plainReader((json) => pieceOf(objectOf(json.Response ?? json)), tencentFault),
  raw: {},
};

/** Tencent's Hunyuan; every request is signed. */
export const tencent = {
  ...everyClient(upstream),
  heedsNoLimit: true,
  authorize: async (request, target) => ({ headers: tencentHeaders(request, target) }),
  readError(body) {
    const json = parseObject(body ?? '') ?? {};
    const found = tencentFault(json, []);
    return found ? errorOf(found) : json;
  },
} satisfies Provider;
