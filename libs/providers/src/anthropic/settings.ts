import type { ChannelTarget, JsonObject } from '../adapter.js';
import { isObject } from '../json/json.js';
import { limitedTools } from '../request/search-tools.js';
import { ADAPTIVE, choosesItself } from './generation.js';
import { continuesBareCalls, demandsCall, MIN_BUDGET } from './thinking.js';

const FALLBACK_MAX_TOKENS = 8192;
/** The lowest output limit with thinking. Anthropic refuses a thinking budget below 1024, so the limit must leave room for that. */
export const MIN_THINKING_TOKENS = 1280;
const THINKING_SUFFIX = '-thinking';

/**
 * Output limit for requests without one, because Anthropic requires it. Looked up in the option by the requested model, then by the model
 * sent.
 */
function defaultMaxTokens(target: ChannelTarget): number {
  const limits = target.settings.claude.defaultMaxTokens;
  return limits[target.requestedModel] ?? limits[target.model] ?? limits.default ?? FALLBACK_MAX_TOKENS;
}

const statedLimit = ({ max_tokens: limit }: JsonObject): number | undefined =>
  typeof limit === 'number' && limit > 0 ? limit : undefined;

const asksThinkingByName = ({ model, settings }: ChannelTarget): boolean =>
  model.endsWith(THINKING_SUFFIX) && settings.claude.thinkingAdapterEnabled;

/** The upstream's model name, without our suffix that asks for thinking. */
export const modelWithoutThinking = (target: ChannelTarget): string =>
  asksThinkingByName(target) ? target.model.slice(0, -THINKING_SUFFIX.length) : target.model;

/** Whether the suffix asks for thinking and nothing in the request speaks against it. */
const needsThinking = (json: JsonObject, target: ChannelTarget): boolean =>
  asksThinkingByName(target) && !isObject(json.thinking) && !demandsCall(json) && !continuesBareCalls(json.messages);

/** What turns thinking on: a share of the limit, or, for a model that refuses a budget, its own choice. */
function thinkingFor(maxTokens: number, { model, settings }: ChannelTarget): JsonObject {
  if (choosesItself(model)) return { thinking: ADAPTIVE };
  const budget = Math.max(Math.trunc(maxTokens * settings.claude.thinkingBudgetPercentage), MIN_BUDGET);
  return { thinking: { type: 'enabled', budget_tokens: Math.min(budget, maxTokens - 1) }, temperature: 1 };
}

/** The members that every request to Claude needs, from any client: model name, limit, and thinking if the suffix asks for it. */
export function claudeMembers(
  json: JsonObject,
  target: ChannelTarget,
  outputLimit = Infinity,
): Map<string, JsonObject[string]> {
  const edits = new Map<string, JsonObject[string]>();
  const model = modelWithoutThinking(target);
  if (json.model !== model) edits.set('model', model);
  const tools = limitedTools(json);
  if (tools) edits.set('tools', tools);
  const stated = statedLimit(json);
  const limit = Math.min(stated ?? defaultMaxTokens(target), outputLimit);
  if (needsThinking(json, target)) {
    const maxTokens = Math.max(limit, MIN_THINKING_TOKENS);
    if (maxTokens !== stated) edits.set('max_tokens', maxTokens);
    for (const name of ['temperature', 'top_p', 'top_k']) if (json[name] !== undefined) edits.set(name, undefined);
    for (const [name, value] of Object.entries(thinkingFor(maxTokens, target))) edits.set(name, value);
  } else if (limit !== stated) edits.set('max_tokens', limit);
  return edits;
}
