import { defaultBehaviour } from '../fake-upstream/behaviour.js';
import { type FakeExchange, embeddingsReply, type Frame } from '../fake-upstream/dialects.js';
import type { Stage } from './stage.js';

/** An answer that is well formed except for the deviations given here. */
export interface Speech {
  /** The reply, one chunk per word. */
  words?: readonly string[];
  /** Values of `usage` as raw JSON, so that they may be values that no serializer would write. Each is sent once. */
  usage?: readonly string[];
  /** Called between the end of the answer and its usage. */
  beforeUsage?: (stage: Stage) => Promise<void>;
  /** Called after `after` words. */
  interrupt?: { after: number; with: (stage: Stage) => Promise<void> };
  /** Milliseconds between words. */
  paceMs?: number;
  /** Content type to send instead of the right one. */
  contentType?: string;
}

export const words = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? 'w1' : ` w${index + 1}`));

export const openAiUsage = (prompt: string | number, completion: string | number): string =>
  `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":0}`;
export const anthropicUsage = (input: string | number, output: string | number): string =>
  `{"input_tokens":${input},"output_tokens":${output}}`;

const frameText = ([event, data]: Frame): string => `${event ? `event: ${event}\n` : ''}data: ${data}\n\n`;

function exchangeOf({ json }: Stage, reply: readonly string[]): FakeExchange {
  return {
    id: 'hostile_1',
    model: typeof json.model === 'string' ? json.model : '',
    words: [...reply],
    isCut: false,
    usage: { promptTokens: 0, completionTokens: reply.length, cachedTokens: 0 },
    behaviour: { ...defaultBehaviour, usage: 'absent' },
    includeUsage: false,
  };
}

const withMember = (object: string, member: string): string => `${object.slice(0, -1)},${member}}`;

/** Opening frames. In Anthropic's dialect `message_start` also carries the first usage. */
function openingOf(stage: Stage, exchange: FakeExchange, usage: string | undefined): Frame[] {
  const frames = stage.dialect.opening(exchange);
  if (stage.endpoint !== 'messages' || usage === undefined) return frames;
  return frames.map(([event, data]): Frame =>
    event === 'message_start'
      ? [event, data.replace('"stop_sequence":null', `"stop_sequence":null,"usage":${usage}`)]
      : [event, data],
  );
}

/** The frames that end the answer, and those after them: usage and the terminal event. */
function closingOf(stage: Stage, exchange: FakeExchange, usages: readonly string[]): [Frame[], Frame[]] {
  const frames = stage.dialect.closing(exchange);
  if (stage.endpoint === 'messages') {
    const [stop, delta, end] = frames as [Frame, Frame, Frame];
    const usageFrames = usages.map((usage): Frame => [delta[0], withMember(delta[1], `"usage":${usage}`)]);
    return [[stop], [...(usageFrames.length > 0 ? usageFrames : [delta]), end]];
  }
  const [finish, done] = frames as [Frame, Frame];
  const usageFrames = usages.map((usage): Frame => [
    undefined,
    `{"id":"hostile_1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[],"usage":${usage}}`,
  ]);
  return [[finish], [...usageFrames, done]];
}

/** The reply as one body. */
export function bodyText(stage: Stage, { words: reply = words(2), usage = [] }: Speech): string {
  const exchange = exchangeOf(stage, reply);
  const text = stage.endpoint === 'embeddings' ? embeddingsReply(stage.json, exchange) : stage.dialect.reply(exchange);
  return usage.reduce((body, value) => withMember(body, `"usage":${value}`), text);
}

async function stream(stage: Stage, speech: Speech): Promise<void> {
  const { usage = [], beforeUsage } = speech;
  const exchange = exchangeOf(stage, speech.words ?? words(2));
  stage.streamHead(speech.contentType);
  for (const frame of openingOf(stage, exchange, usage[0])) await stage.write(frameText(frame));
  await speakWords(stage, exchange, speech);
  const [finish, rest] = closingOf(stage, exchange, usage);
  for (const frame of finish) await stage.write(frameText(frame));
  await beforeUsage?.(stage);
  await stage.end(rest.map(frameText).join(''));
}

async function speakWords(stage: Stage, exchange: FakeExchange, { interrupt, paceMs = 0 }: Speech): Promise<void> {
  for (const [index, word] of exchange.words.entries()) {
    if (interrupt?.after === index) await interrupt.with(stage);
    if (paceMs > 0) await stage.pause(paceMs);
    await stage.write(frameText(stage.dialect.word(exchange, word)));
  }
  if (interrupt && interrupt.after >= exchange.words.length) await interrupt.with(stage);
}

/** Answers in the way that the request asks for: whole or as a stream, in the dialect of the path. */
export async function say(stage: Stage, speech: Speech): Promise<void> {
  if (stage.isStream) return stream(stage, speech);
  await speech.interrupt?.with(stage);
  const body = Buffer.from(bodyText(stage, speech));
  stage.head(200, { 'content-type': speech.contentType ?? 'application/json', 'content-length': body.length });
  await speech.beforeUsage?.(stage);
  await stage.end(body);
}
