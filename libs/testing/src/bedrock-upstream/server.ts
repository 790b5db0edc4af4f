import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { awsChunk, awsException } from './frames.js';
import { signatureFault, signedRequestOf } from './signature.js';

export const BEDROCK_KEY = { id: 'AKIDSTANDIN', secret: 'secret/of+the=stand-in', region: 'us-east-1' } as const;

interface BedrockBehaviour {
  /** Words of the reply, one token each. */
  words: string[];
  /** Bytes per write of a stream; without it one message per write. */
  writeBytes?: number;
  /** An error, sent instead of the reply, or in the stream before the word with index `at`. */
  error?: { type: string; status: number; at?: number };
  /** Index of the word in whose message the stream breaks off. */
  cutAt?: number;
}

/** A request with a valid signature. */
interface BedrockCall {
  path: string;
  accept: string;
  body: Record<string, unknown>;
}

export interface BedrockUpstream {
  url: string;
  calls: BedrockCall[];
  /** Sets how later requests are answered. */
  behave(behaviour: Partial<BedrockBehaviour>): void;
  close(): Promise<void>;
}

const PROMPT_TOKENS = 21;
const usual: BedrockBehaviour = { words: ['Hello', ' dear', ' Ünïverse', '.'] };

const usageOf = (outputTokens: number) => ({
  input_tokens: PROMPT_TOKENS,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: outputTokens,
});

const wholeMessage = ({ words }: BedrockBehaviour): object => ({
  id: 'msg_bdrk_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-3-haiku-20240307',
  content: [{ type: 'text', text: words.join('') }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: usageOf(words.length),
});

const chunk = (event: object): Buffer => awsChunk(JSON.stringify(event));

function messagesOf({ words, error, cutAt }: BedrockBehaviour): Buffer[] {
  const message = { ...wholeMessage({ words }), content: [], stop_reason: null, usage: usageOf(1) };
  const frames = [
    chunk({ type: 'message_start', message }),
    chunk({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  ];
  for (const [index, text] of words.entries()) {
    if (error && index === error.at) return [...frames, awsException(error.type, 'Too many tokens, please wait.')];
    const frame = chunk({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
    if (index === cutAt) return [...frames, frame.subarray(0, frame.length >> 1)];
    frames.push(frame);
  }
  const stop = { stop_reason: 'end_turn', stop_sequence: null };
  return [
    ...frames,
    chunk({ type: 'content_block_stop', index: 0 }),
    chunk({ type: 'message_delta', delta: stop, usage: { output_tokens: words.length } }),
    chunk({
      type: 'message_stop',
      'amazon-bedrock-invocationMetrics': { inputTokenCount: PROMPT_TOKENS, outputTokenCount: words.length },
    }),
  ];
}

async function stream(response: ServerResponse, behaviour: BedrockBehaviour): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  const frames = messagesOf(behaviour);
  const { writeBytes } = behaviour;
  if (writeBytes === undefined) for (const frame of frames) response.write(frame);
  else {
    const bytes = Buffer.concat(frames);
    for (let at = 0; at < bytes.length; at += writeBytes) {
      response.write(bytes.subarray(at, at + writeBytes));
      if (at % 256 < writeBytes) await setTimeout(1);
    }
  }
  if (behaviour.cutAt === undefined) response.end();
  else setImmediate(() => response.destroy());
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  const headers = { 'content-type': 'application/json', 'x-amzn-errortype': `${type}:http://internal.amazon.com/` };
  response.writeHead(status, headers).end(JSON.stringify({ message }));
}

/**
 * A stand-in for Bedrock's runtime with Anthropic's models: verifies each signature, and streams in AWS's event stream
 * encoding.
 */
export async function startBedrockUpstream(): Promise<BedrockUpstream> {
  let behaviour = usual;
  const calls: BedrockCall[] = [];
  const keys = new Map<string, string>([[BEDROCK_KEY.id, BEDROCK_KEY.secret]]);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const fault = signatureFault(signedRequestOf(request, body), keys);
    if (fault)
      return refuse(response, 403, fault, 'The request signature we calculated does not match the one you provided.');
    calls.push({
      path: request.url ?? '',
      accept: request.headers.accept ?? '',
      body: JSON.parse(body.toString('utf8')) as Record<string, unknown>,
    });
    const { error } = behaviour;
    if (error && error.at === undefined) return refuse(response, error.status, error.type, 'Too many requests.');
    if (request.url?.endsWith('/invoke-with-response-stream')) return stream(response, behaviour);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(wholeMessage(behaviour)));
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    behave: (change) => {
      behaviour = { ...usual, ...change };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
