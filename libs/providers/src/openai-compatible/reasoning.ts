import type { JsonObject } from '../adapter.js';
import type { Conversation } from '../conversation/conversation.js';
import { stated } from '../conversation/conversation.js';
import { arrayOf, isObject } from '../json/json.js';
import type { Edits } from './quirks.js';

export type Effort = 'high' | 'medium' | 'low';

const EFFORT_SUFFIX = /-(high|medium|low)$/;
/** Whether the model is one of OpenAI's o-series reasoning models. */
export const isOSeries = (model: string): boolean => /^o\d/.test(model);
/**
 * Whether OpenAI refuses sampling, stop sequences and the older name of the limit for the model. From GPT-5.1 on some sampling is accepted,
 * but only without reasoning.
 */
export const hasRulesOfReasoning = (model: string): boolean => /^(o\d|gpt-5(?!-chat)|codex-)/.test(model);
export const isGrokMini = (model: string): boolean => model.startsWith('grok-3-mini');
const keepsSystem = (model: string): boolean => /^o1-(?:mini|preview)/.test(model);

export interface NamedEffort {
  model: string;
  effort?: Effort;
}

/** Splits an effort suffix off a reasoning model's name; the upstream's name is without it. */
export function splitEffort(model: string): NamedEffort {
  if (!isOSeries(model) && !isGrokMini(model)) return { model };
  const effort = EFFORT_SUFFIX.exec(model)?.[1] as Effort | undefined;
  return effort ? { model: model.slice(0, -effort.length - 1), effort } : { model };
}

function renameLimit(json: JsonObject, edits: Edits): void {
  if (json.max_tokens === undefined) return;
  edits.set('max_tokens', undefined);
  if (json.max_tokens && !json.max_completion_tokens) edits.set('max_completion_tokens', json.max_tokens);
}

function promoteSystem(json: JsonObject, edits: Edits): void {
  const [head, ...rest] = arrayOf(json.messages);
  if (isObject(head) && head.role === 'system') edits.set('messages', [{ ...head, role: 'developer' }, ...rest]);
}

/** Adapts a request to reasoning models: a different name for the limit, no temperature, and the role `developer` instead of `system`. */
export function editForReasoning(json: JsonObject, { model, effort }: NamedEffort, edits: Edits): void {
  if (effort) edits.set('reasoning_effort', effort);
  if (isOSeries(model) || isGrokMini(model)) renameLimit(json, edits);
  if (!isOSeries(model)) return;
  if (json.temperature !== undefined) edits.set('temperature', undefined);
  if (!keepsSystem(model)) promoteSystem(json, edits);
}

/** A conversation of another dialect without what the model refuses: its client cannot know the rules of OpenAI's models. */
export function acceptedBy(model: string, conversation: Conversation): Conversation {
  if (!hasRulesOfReasoning(model)) return conversation;
  const { sampling, parallelTools, ...rest } = conversation;
  const { seed, choices } = sampling;
  return {
    ...rest,
    sampling: stated({ seed, choices, stop: [] }),
    ...(parallelTools !== undefined && !isOSeries(model) && { parallelTools }),
  };
}
