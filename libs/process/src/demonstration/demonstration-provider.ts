import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ChatRequest,
  chatSchema,
  type EmbeddingsRequest,
  embeddingsSchema,
  modelList,
  tokensIn,
  usageOf,
  vectorOf,
  wordsFor,
} from './answers.js';

const MAX_BODY = 16 * 1024 * 1024;

export interface DemonstrationProvider {
  /** Port on the loopback address. */
  port: number;
  close(): Promise<void>;
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const refuse = (response: ServerResponse, status: number, message: string): void =>
  send(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } });

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function answerChat(response: ServerResponse, request: ChatRequest): void {
  const words = wordsFor(request);
  const usage = usageOf(request, words);
  const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: request.model };
  if (!request.stream) {
    const message = { role: 'assistant', content: words.join('') };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    send(response, 200, { ...head, object: 'chat.completion', choices, usage });
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`);
  };
  write({ role: 'assistant', content: '' });
  for (const content of words) write({ content });
  write({}, 'stop');
  if (request.stream_options?.include_usage === true)
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function answerEmbeddings(response: ServerResponse, { model, input }: EmbeddingsRequest): void {
  const texts = typeof input === 'string' ? [input] : input;
  const tokens = Math.max(1, tokensIn(texts.join(' ')));
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
  send(response, 200, { object: 'list', model, data, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  if (request.method === 'GET' && path === '/v1/models') return send(response, 200, modelList);
  const isChat = path === '/v1/chat/completions';
  if (request.method !== 'POST' || !(isChat || path === '/v1/embeddings'))
    return refuse(response, 404, `The demonstration provider does not serve ${request.method} ${path}.`);
  const body = await readJson(request);
  const parsed = isChat ? chatSchema.safeParse(body) : embeddingsSchema.safeParse(body);
  if (!parsed.success) return refuse(response, 400, 'The body is no request that the demonstration provider knows.');
  if (isChat) answerChat(response, parsed.data as ChatRequest);
  else answerEmbeddings(response, parsed.data as EmbeddingsRequest);
}

/** Starts a small provider for people who have no key of a real one. It neither has a secret nor asks for one. */
export async function startDemonstrationProvider(): Promise<DemonstrationProvider> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Requests that are still open when everything else has stopped must not keep the process alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
