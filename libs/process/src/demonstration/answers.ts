import { demonstrationModels } from '@tollgate/contracts/demonstration';
import { z } from 'zod';

const MOST_WORDS = 400;
const QUOTED = 200;
const DIMENSIONS = 8;

const partSchema = z.object({ text: z.string().optional() });
const messageSchema = z.object({ content: z.union([z.string(), z.array(partSchema), z.null()]).optional() });

export const chatSchema = z.object({
  model: z.string().max(255),
  messages: z.array(messageSchema).min(1).max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
});
export type ChatRequest = z.infer<typeof chatSchema>;

export const embeddingsSchema = z.object({
  model: z.string().max(255),
  input: z.union([z.string(), z.array(z.string()).max(2048)]),
});
export type EmbeddingsRequest = z.infer<typeof embeddingsSchema>;

type Message = ChatRequest['messages'][number];

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join(' ');

/** Counts a token per word, so that a charge can be checked by hand. */
export const tokensIn = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** Pieces of the answer, one token each. It says that it is a demonstration, and repeats the question. */
export function wordsFor({ messages, max_tokens: most, max_completion_tokens: mostOf }: ChatRequest): string[] {
  const question = textOf(messages.at(-1) ?? {}).slice(0, QUOTED);
  const text = [
    'This answer comes from the demonstration provider of Tollgate, not from a model. 这是内置演示服务的回答，不是真实模型的回答。',
    `You asked: ${question}`,
  ].join(' ');
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words
    .slice(0, Math.min(most ?? MOST_WORDS, mostOf ?? MOST_WORDS, MOST_WORDS))
    .map((word, index) => (index === 0 ? word : ` ${word}`));
}

export function usageOf(request: ChatRequest, words: readonly string[]): object {
  const prompt = Math.max(1, tokensIn(request.messages.map(textOf).join(' ')));
  return { prompt_tokens: prompt, completion_tokens: words.length, total_tokens: prompt + words.length };
}

/** A vector of length 1 that depends on the text only. */
export function vectorOf(text: string): number[] {
  const sums = Array.from({ length: DIMENSIONS }, (_, index) => index + 1);
  for (let at = 0; at < text.length; at += 1)
    sums[at % DIMENSIONS] = (sums[at % DIMENSIONS] ?? 0) + text.charCodeAt(at);
  const length = Math.hypot(...sums);
  return sums.map((sum) => sum / length);
}

export const modelList = {
  object: 'list',
  data: demonstrationModels.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'demonstration' })),
};
