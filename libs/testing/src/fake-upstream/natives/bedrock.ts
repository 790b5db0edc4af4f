import { awsChunk, awsException } from '../../bedrock-upstream/frames.js';
import { BEDROCK_KEY } from '../../bedrock-upstream/server.js';
import { signatureFault } from '../../bedrock-upstream/signature.js';
import { dialects } from '../all-dialects.js';
import type { FakeDialect, Frame } from '../dialects.js';
import type { ErrorDetails } from './keyed-words.js';
import { type Native, objectIn, textIn } from './native.js';

const types: Readonly<Record<string, string>> = {
  '400': 'ValidationException',
  '429': 'ThrottlingException',
  rate_limit_exceeded: 'ThrottlingException',
};
const typeOf = ({ code }: ErrorDetails): string =>
  types[code] ?? (/Exception$/.test(code) ? code : 'InternalServerException');

/** Writes a frame in AWS's encoding. A failed stream ends with an AWS exception, not with an Anthropic event. */
function written([type, data]: Frame): Buffer {
  if (type !== 'exception') return awsChunk(data);
  const { __type: name, message } = objectIn(JSON.parse(data));
  return awsException(
    textIn(name).replace(/^./, (letter) => letter.toLowerCase()),
    textIn(message),
  );
}

const bedrockDialect: FakeDialect = {
  ...dialects.messages,
  binary: { contentType: 'application/vnd.amazon.eventstream', write: written },
  error: (details) => ({ __type: typeOf(details), message: details.message }),
  errorFrame: (details) => ['exception', JSON.stringify(bedrockDialect.error(details))],
};

const CALL = /\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/;
const keys = new Map<string, string>([[BEDROCK_KEY.id, BEDROCK_KEY.secret]]);

/** Bedrock's runtime with Anthropic's models: signed requests, and streams in AWS's event stream encoding. */
export const bedrock: Native = ({ method, url, headers, bytes, json }) => {
  const [, model, call] = CALL.exec(url.pathname) ?? [];
  if (model === undefined) return undefined;
  const fault = signatureFault({ method, path: url.pathname, headers, body: bytes }, keys);
  const message = 'The request signature we calculated does not match the signature you provided.';
  return {
    dialect: bedrockDialect,
    model: decodeURIComponent(model),
    isStream: call !== 'invoke',
    prompt: json,
    limit: json.max_tokens,
    ...(fault !== undefined && { refusal: { status: 403, message, type: '', code: fault } }),
  };
};
