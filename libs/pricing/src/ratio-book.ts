import type { AppliedPrice, PriceDocument } from '@tollgate/contracts';
import { builtInCompletion } from './completion-rules.js';

/** Ratio for models without a price, applied for users who accept that: the highest of the built-in table. */
const UNSET_MODEL_RATIO = 37.5;
/** Price in USD of a drawing or song whose action has none; ratios do not apply to them. */
const UNSET_TASK_PRICE = 0.1;
const CACHE_CREATION_RATIO = 1.25;
const AUDIO_COMPLETION_RATIO = 2;

type ModelTables = Pick<PriceDocument, 'modelRatio' | 'modelPrice'>;

/** The name under which a model is priced. All custom GPTs of a family are priced as one model; other names are unchanged. */
export function pricedName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/** Whether the name stands for a drawing or song, which upstreams charge at a fixed price. */
const isTask = (name: string): boolean => /^(?:mj_|suno_)/.test(name) || name === 'swap_face';

/** Names come from clients, so only own properties of the table may be found, not `constructor`. */
const lookUp = (table: Record<string, number>, name: string): number | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Whether the model has a price or ratio, set by the operator or built in. */
export function isPriced(model: string, { modelPrice, modelRatio }: ModelTables): boolean {
  const name = pricedName(model);
  return Object.hasOwn(modelPrice, name) || Object.hasOwn(modelRatio, name) || isTask(name);
}

/**
 * A name with a slash belongs to a reseller, so the operator's entry overrides every built-in rule; for other names locked rules take
 * precedence.
 */
export function completionRatioOf(model: string, { completionRatio }: Pick<PriceDocument, 'completionRatio'>): number {
  const name = pricedName(model);
  const configured = lookUp(completionRatio, name);
  const builtIn = builtInCompletion(name);
  if (configured === undefined) return builtIn.ratio;
  return builtIn.locked && !name.includes('/') ? builtIn.ratio : configured;
}

/** Price of an audio token of the prompt relative to a text token, as far as the name of the model says it. */
function audioRatioOf(name: string): number | undefined {
  if (name.includes('-realtime')) {
    if (name.endsWith('gpt-4o-realtime-preview')) return 8;
    return name.includes('gpt-4o-mini-realtime-preview') ? 16.666667 : 20;
  }
  if (!name.includes('-audio')) return undefined;
  if (name.startsWith('gpt-4o-audio-preview')) return 16;
  return name.startsWith('gpt-4o-mini-audio-preview') ? 66.666667 : 40;
}

/** The ratio that users of a group pay in another group, if it differs from that group's own ratio. */
export function userGroupRatioOf(
  { groupGroupRatio = {} }: Pick<PriceDocument, 'groupGroupRatio'>,
  group: string,
  userGroup: string | undefined,
): number | undefined {
  if (userGroup === undefined || !Object.hasOwn(groupGroupRatio, userGroup)) return undefined;
  return lookUp(groupGroupRatio[userGroup] ?? {}, group);
}

/** Everything besides model, group and version that decides a price. */
export interface PricedFor {
  acceptUnset: boolean;
  userGroup?: string | undefined;
  /** The request is a realtime session, whose sound always has a price of its own. */
  isRealtime?: boolean;
}

/**
 * The price of `model` for a caller of `group` under one price version. The requested name counts, not the one a channel maps it to.
 * `undefined` if the model has no price and the caller does not accept unset ratios. An unknown group pays the plain price; the user's own
 * group may change the ratio of the request's group.
 */
export function priceFor(
  model: string,
  group: string,
  document: PriceDocument,
  { acceptUnset, userGroup, isRealtime = false }: PricedFor,
): AppliedPrice | undefined {
  const name = pricedName(model);
  const userGroupRatio = userGroupRatioOf(document, group, userGroup);
  const common = {
    groupRatio: userGroupRatio ?? lookUp(document.groupRatio, group) ?? 1,
    ...(userGroupRatio !== undefined && { userGroupRatio }),
    quotaPerUnit: document.quotaPerUnit,
    ...callPrices(name),
  };
  const modelPrice = lookUp(document.modelPrice, name) ?? (isTask(name) ? UNSET_TASK_PRICE : undefined);
  if (modelPrice !== undefined) {
    return { ...common, modelPrice, modelRatio: 0, completionRatio: 0, cacheRatio: 0, cacheCreationRatio: 0 };
  }
  const modelRatio = lookUp(document.modelRatio, name) ?? (acceptUnset ? UNSET_MODEL_RATIO : undefined);
  if (modelRatio === undefined) return undefined;
  return {
    ...common,
    modelPrice: -1,
    modelRatio,
    completionRatio: completionRatioOf(name, document),
    cacheRatio: lookUp(document.cacheRatio, name) ?? 1,
    cacheCreationRatio: CACHE_CREATION_RATIO,
    ...mediaRatios(name, document, isRealtime),
  };
}

/**
 * These prices per call apply to all price versions, past ones included: changing a number would re-rate booked requests differently. A new
 * price needs its own member in the usage, which older requests do not have.
 */

/** USD per thousand searches at OpenAI; searches of its older large models cost more. */
const WEB_SEARCH = { low: 25, medium: 27.5, high: 30 };
const WEB_SEARCH_OF_LARGE = { low: 30, medium: 35, high: 50 };
const FILE_SEARCH = 2.5;
/** Claude's price does not depend on the context size. */
const CLAUDE_SEARCH = { low: 10, medium: 10, high: 10 };
/** USD per thousand queries of Google's search tool, for all models. */
const GOOGLE_SEARCH = 14;

function webSearchOf(name: string): AppliedPrice['webSearch'] {
  if (/claude/i.test(name)) return CLAUDE_SEARCH;
  const isLarge = /^gpt-4(?:\.1|o)/.test(name) && !name.includes('mini');
  return isLarge ? WEB_SEARCH_OF_LARGE : WEB_SEARCH;
}

function callPrices(name: string): Pick<AppliedPrice, 'hdPictures' | 'webSearch' | 'fileSearch' | 'googleSearch'> {
  return {
    webSearch: webSearchOf(name),
    fileSearch: FILE_SEARCH,
    googleSearch: GOOGLE_SEARCH,
    ...(name === 'dall-e-3' && { hdPictures: true }),
  };
}

function mediaRatios(
  name: string,
  document: PriceDocument,
  isRealtime: boolean,
): Pick<AppliedPrice, 'imageRatio' | 'audioRatio' | 'audioCompletionRatio'> {
  const imageRatio = lookUp(document.imageRatio, name);
  const audioRatio = audioRatioOf(name) ?? (isRealtime ? document.realtimeAudioRatio : undefined);
  return {
    ...(imageRatio !== undefined && { imageRatio }),
    ...(audioRatio !== undefined && { audioRatio, audioCompletionRatio: AUDIO_COMPLETION_RATIO }),
  };
}

/** The price of a request that makes up for another one: nothing, whatever it uses. */
export function freeOf({ userGroupRatio: _, ...price }: AppliedPrice): AppliedPrice {
  return { ...price, groupRatio: 0 };
}
