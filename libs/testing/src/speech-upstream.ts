import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Transcript of every file, and its duration. */
export const SPOKEN = 'Every word was heard.';
const SPOKEN_SECONDS = 61.2;

interface SpeechCall {
  path: string;
  /** Fields of the form by name. */
  fields: Record<string, string>;
  file: { name: string; type: string; bytes: Buffer };
  hasLength: boolean;
}

export interface SpeechUpstream {
  url: string;
  calls: SpeechCall[];
  /** Bytes received so far of the body of the current request. */
  received(): number;
  /** Sets how usage is reported from now on: by tokens, by duration, or not at all. */
  tell(usage: 'tokens' | 'length' | 'nothing'): void;
  /** Refuses the next request before its body is read. */
  refuseNext(status: number): void;
  close(): Promise<void>;
}

const subtitles = `1\n00:00:00,000 --> 00:01:01,200\n${SPOKEN}\n\n`;

const usages = {
  tokens: {
    type: 'tokens',
    input_tokens: 620,
    output_tokens: 5,
    total_tokens: 625,
    input_token_details: { text_tokens: 8, audio_tokens: 612 },
  },
  length: { type: 'duration', seconds: Math.ceil(SPOKEN_SECONDS) },
  nothing: undefined,
} as const;

/** Streams a delta per word, then the whole transcript. */
function answerWithEvents(response: ServerResponse, usage: (typeof usages)[keyof typeof usages]): void {
  const events = [
    ...SPOKEN.split(/(?<= )/).map((delta) => ({ type: 'transcript.text.delta', delta })),
    { type: 'transcript.text.done', text: SPOKEN, ...(usage && { usage }) },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}

function answer(response: ServerResponse, format: string, usage: (typeof usages)[keyof typeof usages]): void {
  const json = (value: object): void =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const text = (type: string, value: string): void =>
    void response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'set-cookie': 'a=b' }).end(value);
  if (format === 'text') return text('text/plain', `${SPOKEN}\n`);
  if (format === 'srt') return text('application/x-subrip', subtitles);
  if (format === 'vtt') return text('text/vtt', `WEBVTT\n\n00:00.000 --> 01:01.200\n${SPOKEN}\n\n`);
  if (format === 'verbose_json')
    return json({ task: 'transcribe', language: 'english', duration: SPOKEN_SECONDS, text: SPOKEN, segments: [] });
  json({ text: SPOKEN, ...(usage && { usage }) });
}

async function formOf(request: IncomingMessage, body: Buffer): Promise<FormData> {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  return new Response(new Uint8Array(body), { headers }).formData();
}

/** Starts a provider of speech recognition, in the dialect of OpenAI. */
export async function startSpeechUpstream(): Promise<SpeechUpstream> {
  const calls: SpeechCall[] = [];
  let usage: keyof typeof usages = 'length';
  let refusal: number | undefined;
  let received = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    received = 0;
    if (refusal !== undefined) {
      const status = refusal;
      refusal = undefined;
      const error = { message: 'come again', type: 'server_error', code: 'overloaded' };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
    request.on('data', (piece: Buffer) => (received += piece.length));
    const form = await formOf(request, await buffer(request));
    const fields: Record<string, string> = {};
    for (const [name, value] of form) if (typeof value === 'string') fields[name] = value;
    const file = form.get('file');
    if (!(file instanceof File)) return void response.writeHead(400).end('{"error":{"message":"no file"}}');
    calls.push({
      path: request.url ?? '',
      fields,
      file: { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) },
      hasLength: request.headers['content-length'] !== undefined,
    });
    if (fields.stream === 'true') return answerWithEvents(response, usages[usage]);
    answer(response, fields.response_format ?? 'json', usages[usage]);
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    received: () => received,
    tell: (told) => void (usage = told),
    refuseNext: (status) => void (refusal = status),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
