import type { JsonObject } from '../adapter.js';
import { hasBudget } from './thinking.js';

/**
 * The generation in a name such as `claude-opus-4-7`, as a hundredfold: 407. Also in Bedrock's names (`us.anthropic.claude-opus-4-6-v1`)
 * and Vertex's (`claude-sonnet-4-5@20250929`). A number of more than two digits is a date. Other names have none, such as those before
 * Claude 4, whose number stands before the family.
 */
const NAME = /(?:^|[./])claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?![\d.])/;

function generationOf(model: string): number | undefined {
  const [, major, minor = '0'] = NAME.exec(model) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}

const isBetween = (model: string, from: number, to: number): boolean => {
  const generation = generationOf(model);
  return generation !== undefined && generation >= from && generation <= to;
};

/**
 * Whether the model chooses its sampling and the amount of its thinking itself: from 4.7 on `temperature`, `top_p`, `top_k` and a budget of
 * thinking get 400. https://platform.claude.com/docs/en/about-claude/models/migration-guide ("Migrating to Claude Opus 4.7"),
 * https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html
 */
export const choosesItself = (model: string): boolean => isBetween(model, 407, Infinity);

/** Models from 4.1 to 4.6 refuse `temperature` and `top_p` together; the same guide, "Migrating from Claude 3.7". */
const takesOneSampling = (model: string): boolean => isBetween(model, 401, 406);

export const ADAPTIVE: JsonObject = { type: 'adaptive' };

/** A converted body without the sampling that its model refuses; a budget of thinking that it refuses becomes the model's own choice. */
export function fittingModel(body: JsonObject, model: string): JsonObject {
  const { top_p: _, ...oneSampling } = body;
  if (takesOneSampling(model) && body.temperature !== undefined) return oneSampling;
  if (!choosesItself(model)) return body;
  const { temperature: __, top_k: ___, ...rest } = oneSampling;
  return hasBudget(body) ? { ...rest, thinking: ADAPTIVE } : rest;
}
