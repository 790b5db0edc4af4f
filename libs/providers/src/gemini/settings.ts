import type { ChannelTarget, JsonObject } from '../adapter.js';
import { spellingOf, objectAt } from './fields.js';

export const DEFAULT_BASE_URL = 'https://generativelanguage.googleapis.com';

const THINKING_SUFFIX = '-thinking';
const NO_THINKING_SUFFIX = '-nothinking';
/** Largest thinking budget of Flash models. A share above it is omitted, so that the model decides. */
const MAX_BUDGET = 24_576;

/** The family of a model, and the least and the largest budget with which it thinks; Google refuses others. */
type Budget = readonly [RegExp, number, number];

const FLASH: Budget = [/-flash/, 1, MAX_BUDGET];
/** The first row that fits holds. A model of no family here is taken for Flash. */
const BUDGETS: readonly Budget[] = [[/-flash-lite/, 512, MAX_BUDGET], [/-pro/, 128, 32_768], FLASH];

/** A client's thinking budget within what the model accepts. */
export function budgetWithin(model: string, budget: number): number {
  const [, least, most] = BUDGETS.find(([family]) => family.test(model)) ?? FLASH;
  return Math.min(Math.max(budget, least), most);
}

const CATEGORIES = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'];

/** Safety settings from the operator's option `gemini.safety_settings`. */
export function safetySettings({ settings: { gemini } }: ChannelTarget): JsonObject[] {
  return CATEGORIES.map((name) => `HARM_CATEGORY_${name}`).flatMap((category) => {
    const threshold = gemini.safetySettings[category] ?? gemini.safetySettings.default;
    return threshold ? [{ category, threshold }] : [];
  });
}

/** Whether the suffix of the model name turns thinking on or off; `undefined` without a suffix. */
function requestedThinking({ model, settings: { gemini } }: ChannelTarget): boolean | undefined {
  if (!gemini.thinkingAdapterEnabled) return undefined;
  if (model.endsWith(NO_THINKING_SUFFIX)) return false;
  return model.endsWith(THINKING_SUFFIX) ? true : undefined;
}

/** The upstream's model name, without our thinking suffix. */
export function upstreamModel(target: ChannelTarget): string {
  const thinks = requestedThinking(target);
  if (thinks === undefined) return target.model;
  return target.model.slice(0, -(thinks ? THINKING_SUFFIX : NO_THINKING_SUFFIX).length);
}

function urlOf(target: ChannelTarget, path: string): string {
  const { versionSettings } = target.settings.gemini;
  const version =
    target.other || versionSettings[target.requestedModel] || versionSettings[target.model] || versionSettings.default;
  return `${(target.baseUrl || DEFAULT_BASE_URL).replace(/\/+$/, '')}/${version || 'v1beta'}/${path}`;
}

export const modelUrl = (target: ChannelTarget, method: string): string =>
  urlOf(target, `models/${encodeURIComponent(upstreamModel(target))}:${method}`);

const limitOf = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined);

/** The thinking configuration for the suffix of the model name; the budget is a share of the answer's limit. */
function thinkingConfig(target: ChannelTarget, limit: number | undefined): JsonObject | undefined {
  const thinks = requestedThinking(target);
  if (thinks === undefined) return undefined;
  if (!thinks) return { thinkingBudget: 0 };
  const share = Math.trunc((limit ?? 0) * target.settings.gemini.thinkingBudgetPercentage) || MAX_BUDGET;
  return { ...(share <= MAX_BUDGET && { thinkingBudget: share }), includeThoughts: true };
}

/** The members that must be replaced for this upstream: the limit of the caller's quota, and thinking by suffix. */
export function geminiMembers(
  json: JsonObject,
  target: ChannelTarget,
  outputLimit?: number,
): Map<string, JsonObject[string]> {
  const config = objectAt(json, 'generationConfig');
  const limitName = spellingOf(config, 'maxOutputTokens');
  const stated = limitOf(config[limitName]);
  const limit = outputLimit === undefined ? stated : Math.min(stated ?? Infinity, outputLimit);
  const thinking = thinkingConfig(target, limit);
  const changes: JsonObject = {
    ...(limit !== undefined && limit !== stated && { [limitName]: limit }),
    ...(thinking && { [spellingOf(config, 'thinkingConfig')]: thinking }),
  };
  if (Object.keys(changes).length === 0) return new Map();
  return new Map([[spellingOf(json, 'generationConfig'), { ...config, ...changes }]]);
}
