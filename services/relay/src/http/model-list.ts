import type { TokenRecord } from '@tollgate/contracts';
import { ownerOf } from '@tollgate/contracts';
import { modelLimits, pricedName } from '@tollgate/pricing';
import type { Dialect } from '@tollgate/providers';
import { allowsModel } from '../access/gatekeeper.js';
import { anthropicPage, geminiPage } from './model-page.js';

const CREATED = 1_626_777_600;

const permission = [
  {
    id: 'modelperm-LwHkVFn8AcMItP432fKKDIKJ',
    object: 'model_permission',
    created: CREATED,
    allow_create_engine: true,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: '*',
    group: null,
    is_blocking: false,
  },
];

const openAiModel = (id: string): object => ({
  id,
  object: 'model',
  created: CREATED,
  owned_by: ownerOf(id),
  permission,
  root: id,
  parent: null,
});
const anthropicModel = (id: string): object => ({
  type: 'model',
  id,
  display_name: id,
  created_at: new Date(CREATED * 1000).toISOString(),
});

/** Recognizes embedding models by name; nothing else distinguishes them from chat models. */
const EMBEDS = /embed|^(?:bge|m3e|tao|jina-clip)/i;

const geminiModel = (id: string): object => ({
  name: `models/${id}`,
  displayName: id,
  outputTokenLimit: modelLimits(id).outputTokens,
  supportedGenerationMethods: EMBEDS.test(id)
    ? ['embedContent', 'batchEmbedContents', 'countTokens']
    : ['generateContent', 'streamGenerateContent', 'countTokens'],
});

/**
 * The models that a key may call: those of its group that have a channel, restricted to the key's model limits. A limit
 * may name a member of a family that is routed as a whole.
 */
export function callableModels(token: TokenRecord, routed: readonly string[]): string[] {
  const served = new Set(routed);
  const members = token.modelLimitsEnabled ? token.modelLimits.filter((model) => served.has(pricedName(model))) : [];
  return [...new Set([...routed.filter((model) => allowsModel(token, model)), ...members])].sort();
}

const openAiList = (models: readonly string[]): object => ({
  success: true,
  object: 'list',
  data: models.map(openAiModel),
});

/** OpenAI's list has no pages. */
const listBodies: Readonly<Record<Dialect, (models: readonly string[], query: URLSearchParams) => object>> = {
  openai: openAiList,
  responses: openAiList,
  anthropic: (sorted, query) => {
    const { models, hasMore } = anthropicPage(sorted, query);
    const [first = null] = models;
    return { data: models.map(anthropicModel), has_more: hasMore, first_id: first, last_id: models.at(-1) ?? null };
  },
  gemini: (sorted, query) => {
    const { models, ...next } = geminiPage(sorted, query);
    return { models: models.map(geminiModel), ...next };
  },
};

/** The page of a sorted list of models for which the query asks, in the words of a dialect. */
export const modelListBody = (sorted: readonly string[], dialect: Dialect, query: URLSearchParams): object =>
  listBodies[dialect](sorted, query);

const modelBodies: Record<Dialect, (id: string) => object> = {
  openai: openAiModel,
  responses: openAiModel,
  anthropic: anthropicModel,
  gemini: geminiModel,
};

export const modelBody = (id: string, dialect: Dialect): object => modelBodies[dialect](id);
