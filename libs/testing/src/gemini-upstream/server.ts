import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const GEMINI_KEY = 'AIzaStandIn';

interface GeminiBehaviour {
  /** Parts of the reply; a stream has an event per part. */
  parts: object[];
  finishReason: string;
  /** Queries of the web searches before the answer. */
  queries: string[];
  usage: Record<string, unknown>;
  /** Error to send instead of the reply. */
  error?: { code: number; status: string; message: string };
  /** Number of events after which the stream breaks off. */
  cutAfter?: number;
  /** Answers a request for a stream with a whole reply. */
  isWhole?: boolean;
}

interface GeminiCall {
  /** Path with query string. */
  path: string;
  body: Record<string, unknown>;
  /** The body as received. */
  bytes: string;
}

export interface GeminiUpstream {
  url: string;
  calls: GeminiCall[];
  /** Sets how later requests are answered. */
  behave(behaviour: Partial<GeminiBehaviour>): void;
  close(): Promise<void>;
}

const usual: GeminiBehaviour = {
  parts: [{ text: 'Hello' }, { text: ' dear' }, { text: ' Ünïverse.' }],
  finishReason: 'STOP',
  queries: [],
  usage: { promptTokenCount: 21, candidatesTokenCount: 4, thoughtsTokenCount: 6, totalTokenCount: 31 },
};

const named = { modelVersion: 'gemini-2.5-flash', responseId: 'gem-1' };
const candidate = (parts: object[], end?: Pick<GeminiBehaviour, 'finishReason' | 'queries'>): object => ({
  content: { role: 'model', parts },
  ...(end && { finishReason: end.finishReason }),
  ...(end && end.queries.length > 0 && { groundingMetadata: { webSearchQueries: end.queries } }),
  index: 0,
});

const isText = (part: object): part is { text: string } => Object.keys(part).join() === 'text';

/** Merges adjacent texts: a whole reply has one part where a stream sends several. */
function withWholeTexts(parts: object[]): object[] {
  const whole: object[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (last && isText(last) && isText(part)) whole.splice(-1, 1, { text: last.text + part.text });
    else whole.push(part);
  }
  return whole;
}

const wholeReply = ({ parts, usage, ...end }: GeminiBehaviour): object => ({
  candidates: [candidate(withWholeTexts(parts), end)],
  usageMetadata: usage,
  ...named,
});

/** Events as Google sends them: usage in every event, the finish reason in the last one, and no event after it. */
function events({ parts, usage, ...end }: GeminiBehaviour): string[] {
  const { promptTokenCount } = usage;
  return parts.map((part, index) => {
    const isLast = index === parts.length - 1;
    const usageMetadata = isLast ? usage : { promptTokenCount, totalTokenCount: promptTokenCount };
    const reply = { candidates: [candidate([part], isLast ? end : undefined)], usageMetadata, ...named };
    return `data: ${JSON.stringify(reply)}\r\n\r\n`;
  });
}

function stream(response: ServerResponse, behaviour: GeminiBehaviour): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events(behaviour).slice(0, behaviour.cutAfter)) response.write(event);
  response.end();
}

const refuse = (
  response: ServerResponse,
  error: { code: number; status: string; message: string; details?: object[] },
) => response.writeHead(error.code, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));

const badKey = {
  ...{ code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid API key.' },
  details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
};

/** A stand-in for Google's Gemini API: whole replies, streams, embeddings and the list of models. */
export async function startGeminiUpstream(): Promise<GeminiUpstream> {
  let behaviour = usual;
  const calls: GeminiCall[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bytes = (await buffer(request)).toString('utf8');
    const path = request.url ?? '';
    const { authorization, 'x-goog-api-key': key } = request.headers;
    const isForOpenAi = path.startsWith('/v1beta/openai/');
    if (isForOpenAi ? authorization !== `Bearer ${GEMINI_KEY}` : key !== GEMINI_KEY)
      return void refuse(response, badKey);
    const answer = (reply: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    if (request.method === 'GET' && isForOpenAi)
      return void answer({ object: 'list', data: [{ id: 'models/gemini-2.5-flash', object: 'model' }] });
    calls.push({ path, bytes, body: JSON.parse(bytes) as Record<string, unknown> });
    if (behaviour.error) return void refuse(response, behaviour.error);
    if (path.includes(':batchEmbedContents')) {
      const { requests } = JSON.parse(bytes) as { requests: unknown[] };
      return void answer({ embeddings: requests.map((_, index) => ({ values: [index, 0.5] })) });
    }
    if (path.includes(':embedContent')) return void answer({ embedding: { values: [0, 0.5] } });
    if (path.endsWith(':streamGenerateContent?alt=sse') && !behaviour.isWhole) return stream(response, behaviour);
    return void answer(wholeReply(behaviour));
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
