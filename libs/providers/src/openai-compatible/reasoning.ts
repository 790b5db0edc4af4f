import type { JsonObject } from '../adapter.js';
import { arrayOf, isObject } from '../json/json.js';
import type { Edits } from './quirks.js';

export type Effort = 'high' | 'medium' | 'low';

const EFFORT_SUFFIX = /-(high|medium|low)$/;
/** Whether the model is one of OpenAI's o-series reasoning models. */
export const isReasoningModel = (model: string): boolean => /^o\d/.test(model);
const isGrokMini = (model: string): boolean => model.startsWith('grok-3-mini');
const keepsSystem = (model: string): boolean => /^o1-(?:mini|preview)/.test(model);

export interface NamedEffort {
  model: string;
  effort?: Effort;
}

/** Splits an effort suffix off a reasoning model's name; the upstream's name is without it. */
export function splitEffort(model: string): NamedEffort {
  if (!isReasoningModel(model) && !isGrokMini(model)) return { model };
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
  if (isReasoningModel(model) || isGrokMini(model)) renameLimit(json, edits);
  if (!isReasoningModel(model)) return;
  if (json.temperature !== undefined) edits.set('temperature', undefined);
  if (!keepsSystem(model)) promoteSystem(json, edits);
}
