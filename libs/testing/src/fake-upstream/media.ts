import { type FakeExchange, type Frame, type JsonObject, reportedUsages } from './dialects.js';

const CREATED = 1_700_000_000;
/** A PNG of one pixel. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE_TOKENS: Readonly<Record<string, number>> = { low: 272, medium: 1056, high: 4160 };
/** Tokens of a picture that is sent along to be edited. */
const SOURCE_TOKENS = 323;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number => Math.max(1, Number(value ?? 1) || 1);
const isDallE = (model: string): boolean => model.startsWith('dall-e');
const isFile = (value: unknown): boolean => typeof value === 'object' && value !== null && 'filename' in value;

/** Counts the files in a form; a field that was sent several times is a list. */
const sourcesIn = (body: JsonObject): number => Object.values(body).flat().filter(isFile).length;

function imageUsage(body: JsonObject, exchange: FakeExchange): JsonObject | undefined {
  const [reported] = reportedUsages(exchange);
  if (isDallE(exchange.model) || !reported) return undefined;
  const image = sourcesIn(body) * SOURCE_TOKENS;
  const quality = textOf(body.quality);
  const made = countOf(body.n) * (PICTURE_TOKENS[quality] ?? PICTURE_TOKENS.medium ?? 0);
  const output = exchange.behaviour.usage === 'zero' ? 0 : made;
  const input = reported.promptTokens + (exchange.behaviour.usage === 'zero' ? 0 : image);
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: { text_tokens: reported.promptTokens, image_tokens: input - reported.promptTokens },
  };
}

/**
 * The reply with pictures. Older models return URLs unless data are requested; newer ones return data, and report
 * tokens.
 */
export function imagesReply(body: JsonObject, exchange: FakeExchange): string {
  const wantsData = body.response_format === 'b64_json' || !isDallE(exchange.model);
  const data = Array.from({ length: countOf(body.n) }, (_, index) => ({
    ...(wantsData ? { b64_json: PICTURE } : { url: `https://pictures.fake-upstream.com/${exchange.id}-${index}.png` }),
    ...(isDallE(exchange.model) && { revised_prompt: `${textOf(body.prompt)}, in oils` }),
  }));
  const usage = imageUsage(body, exchange);
  return JSON.stringify({ created: CREATED, data, ...(usage && { usage }) });
}

/** Events of a streamed picture: the requested number of partial images, then the final one. */
export function imageFrames(body: JsonObject, exchange: FakeExchange, kind: 'generation' | 'edit'): Frame[] {
  const frame = (name: string, rest: JsonObject): Frame => {
    const type = `image_${kind}.${name}`;
    return [type, JSON.stringify({ type, b64_json: PICTURE, created_at: CREATED, output_format: 'png', ...rest })];
  };
  const sketches = Array.from({ length: Number(body.partial_images ?? 0) }, (_, index) =>
    frame('partial_image', { partial_image_index: index }),
  );
  const usage = imageUsage(body, exchange);
  return [...sketches, frame('completed', usage ? { usage } : {})];
}

const SOUND_TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};
const BYTES_PER_WORD = 1000;

/** Audio with a thousand bytes for each word of the reply. */
export const soundOf = ({ words }: FakeExchange): Buffer[] =>
  words.map((_, index) => Buffer.alloc(BYTES_PER_WORD, index + 1));

export const soundType = ({ response_format: format }: JsonObject): string =>
  SOUND_TYPES[textOf(format)] ?? 'audio/mpeg';

/** The audio as events. */
export const soundFrames = (exchange: FakeExchange): Frame[] => [
  ...soundOf(exchange).map((piece): Frame => [
    undefined,
    JSON.stringify({ type: 'speech.audio.delta', audio: piece.toString('base64') }),
  ]),
  [
    undefined,
    JSON.stringify({
      type: 'speech.audio.done',
      ...reportedUsages(exchange)
        .slice(-1)
        .map(({ promptTokens, completionTokens }) => ({
          usage: {
            input_tokens: promptTokens,
            output_tokens: completionTokens,
            total_tokens: promptTokens + completionTokens,
          },
        }))[0],
    }),
  ],
];

const CATEGORIES = ['harassment', 'hate', 'self-harm', 'sexual', 'violence'];

/** The reply of the moderation endpoint; inputs that mention violence are flagged. */
export function moderationsReply(body: JsonObject, exchange: FakeExchange): string {
  const inputs = Array.isArray(body.input) ? (body.input as unknown[]) : [body.input];
  const isMixed = inputs.some((input) => typeof input === 'object');
  const results = (isMixed ? [inputs] : inputs).map((input) => {
    const isViolent = JSON.stringify(input).includes('violence');
    const of = <T>(value: (category: string) => T): Record<string, T> =>
      Object.fromEntries(CATEGORIES.map((category) => [category, value(category)]));
    const isHit = (category: string): boolean => isViolent && category === 'violence';
    return {
      flagged: isViolent,
      categories: of(isHit),
      category_scores: of((category) => (isHit(category) ? 0.97 : 0.0001)),
    };
  });
  return JSON.stringify({ id: `modr-${exchange.id}`, model: exchange.model, results });
}

/** Usage of a transcription: whisper reports the duration, other models report tokens. */
function spokenUsage(exchange: FakeExchange): JsonObject | undefined {
  const [reported] = reportedUsages(exchange).slice(-1);
  if (!reported) return undefined;
  if (exchange.model.startsWith('whisper')) return { type: 'duration', seconds: exchange.words.length };
  const input = reported.promptTokens + 10 * exchange.words.length;
  const output = reported.completionTokens;
  return { type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output };
}

const DURATION = 10;

/** The words of the reply as a transcript in the requested format. */
export function wordsReply(body: JsonObject, exchange: FakeExchange): { text: string; contentType: string } {
  const words = exchange.words.join('');
  const usage = spokenUsage(exchange);
  const json = (value: object) => ({ text: JSON.stringify(value), contentType: 'application/json' });
  const end = `00:00:${String(DURATION).padStart(2, '0')}`;
  if (body.response_format === 'text') return { text: `${words}\n`, contentType: 'text/plain; charset=utf-8' };
  if (body.response_format === 'srt')
    return { text: `1\n00:00:00,000 --> ${end},000\n${words}\n\n`, contentType: 'application/x-subrip' };
  if (body.response_format === 'vtt')
    return { text: `WEBVTT\n\n00:00:00.000 --> ${end}.000\n${words}\n\n`, contentType: 'text/vtt' };
  if (body.response_format === 'verbose_json')
    return json({ task: 'transcribe', language: 'english', duration: DURATION, text: words, segments: [] });
  return json({ text: words, ...(usage && { usage }) });
}

export const wordFrames = (exchange: FakeExchange): Frame[] => [
  ...exchange.words.map((delta): Frame => [undefined, JSON.stringify({ type: 'transcript.text.delta', delta })]),
  [
    undefined,
    JSON.stringify({ type: 'transcript.text.done', text: exchange.words.join(''), usage: spokenUsage(exchange) }),
  ],
];
