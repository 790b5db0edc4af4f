/** The requests and replies of every measurement: about 1 kB each way, and streams of 100 chunks of one word. */

export const MODEL = 'gpt-4o';
const CHUNKS = 100;
export const CHAT_PATH = '/v1/chat/completions';
export const IMAGES_PATH = '/v1/images/generations';
export const IMAGE_MODEL = 'dall-e-3';
const PICTURE_BYTES = 1024 * 1024;
/** `burst` is the `sse` stream with four chunks per write, as over a network that coalesces packets. */
export type Kind = 'json' | 'sse' | 'burst';
export const kinds = ['json', 'sse', 'burst'] as const satisfies readonly Kind[];
export const BURST_MODEL = 'gpt-4o-mini';
/** Streams of this model send a chunk a second and do not end on their own. */
export const SLOW_MODEL = 'gpt-4';
export const SLOW_CHUNK_MS = 1000;
const CHUNKS_PER_BURST = 4;

const words = (count: number): string => Array.from({ length: count }, (_, at) => `word${at % 10}`).join(' ');

const models = { json: MODEL, sse: MODEL, burst: BURST_MODEL, slow: SLOW_MODEL } as const;

export function requestBody(kind: Kind | 'slow'): Buffer {
  const messages = [
    { role: 'system', content: 'You are a patient assistant.' },
    { role: 'user', content: words(140) },
  ];
  return Buffer.from(
    JSON.stringify({
      model: models[kind],
      messages,
      max_tokens: 200,
      temperature: 0.7,
      ...(kind !== 'json' && { stream: true }),
    }),
  );
}

const usage = { prompt_tokens: 150, completion_tokens: CHUNKS, total_tokens: 150 + CHUNKS };
const head = { id: 'chatcmpl-bench', created: 1_700_000_000, model: MODEL };

export const jsonReply = Buffer.from(
  JSON.stringify({
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: words(CHUNKS) }, finish_reason: 'stop' }],
    usage,
  }),
);

/** The reply of an image generation with one picture. */
export const imagesReply = Buffer.from(
  JSON.stringify({ created: 1_700_000_000, data: [{ b64_json: Buffer.alloc(PICTURE_BYTES, 7).toString('base64') }] }),
);

const event = (data: object): string =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...data })}\n\n`;
const choice = (delta: object, reason: string | null): object => ({
  choices: [{ index: 0, delta, finish_reason: reason }],
});

/** The writes of one stream; the last one carries the finish reason, the usage and `[DONE]`. */
export const streamWrites: readonly Buffer[] = [
  ...Array.from({ length: CHUNKS }, (_, at) => Buffer.from(event(choice({ content: ` word${at % 10}` }, null)))),
  Buffer.from(`${event(choice({}, 'stop'))}${event({ choices: [], usage })}data: [DONE]\n\n`),
];

const grouped = (writes: readonly Buffer[], size: number): Buffer[] =>
  Array.from({ length: Math.ceil(writes.length / size) }, (_, at) =>
    Buffer.concat(writes.slice(at * size, (at + 1) * size)),
  );

export const burstWrites: readonly Buffer[] = [
  ...grouped(streamWrites.slice(0, CHUNKS), CHUNKS_PER_BURST),
  ...streamWrites.slice(CHUNKS),
];
