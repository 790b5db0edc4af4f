import { type ChannelTarget, ChannelUnusable, RequestRejected } from '../adapter.js';
import { modelWithoutThinking } from '../anthropic/settings.js';
import { modelPath } from '../channel/model-path.js';
import { upstreamModel } from '../gemini/settings.js';
import { parseObject, textOf } from '../json/json.js';
import { serviceAccountOf } from './service-account.js';

/** Determines a model's dialect. */
export type Publisher = 'anthropic' | 'google' | 'open';

/** Validated, because the region becomes part of the host name. */
const REGION = /^[a-z]{2,16}(?:-[a-z]{2,16}\d{0,2}){0,2}$/;

export const isRegion = (name: string): boolean => REGION.test(name);

/** The channel's region: one for all models, or a JSON object of requested model → region with a `default`. Throws `ChannelUnusable`. */
export function regionOf({ other, requestedModel, model }: ChannelTarget): string {
  const regions = parseObject(other);
  const own = (name: string): string => (regions && Object.hasOwn(regions, name) ? textOf(regions[name]) : '');
  const region = regions ? own(requestedModel) || own(model) || own('default') : other.trim();
  if (!isRegion(region))
    throw new ChannelUnusable('channel:invalid_region', 'the channel has no region for the model', 'upstream');
  return region;
}

/** `global` and the multi-regions `us` and `eu` have their own hosts. */
function hostOf(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

export const isOfGoogle = (model: string): boolean => model.startsWith('gemini');

/** Looked up by the upstream's model name; `undefined` for a model without a supported dialect. */
export function knownPublisherOf(model: string): Publisher | undefined {
  if (model.startsWith('claude')) return 'anthropic';
  if (isOfGoogle(model)) return 'google';
  // A name with a publisher, like `publisher/model`, is served by Google in OpenAI's dialect.
  return model.includes('llama') || model.includes('/') ? 'open' : undefined;
}

/** As `knownPublisherOf`. Throws `RequestRejected` for a model without a supported dialect. */
export function publisherOf(model: string): Publisher {
  const publisher = knownPublisherOf(model);
  if (!publisher) throw new RequestRejected('invalid_text_request', `unsupported request mode: ${model}`);
  return publisher;
}

const dated: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet-20241022': 'claude-3-5-sonnet-v2@20241022',
};

/** Claude's name at Vertex, where the date follows an `@`. */
function claudeName(target: ChannelTarget): string {
  const name = modelWithoutThinking(target);
  return dated[name] ?? name.replace(/-(\d{8})$/, '@$1');
}

const baseOf = ({ baseUrl }: ChannelTarget, region: string): string => baseUrl.replace(/\/+$/, '') || hostOf(region);

function placeOf(target: ChannelTarget, version: string): string {
  const region = regionOf(target);
  const { projectId } = serviceAccountOf(target.key);
  return `${baseOf(target, region)}/${version}/projects/${encodeURIComponent(projectId)}/locations/${region}`;
}

export const googleUrl = (target: ChannelTarget, method: string): string =>
  `${placeOf(target, 'v1')}/publishers/google/models/${modelPath(upstreamModel(target))}:${method}`;

export const anthropicUrl = (target: ChannelTarget, isStream: boolean): string => {
  const method = isStream ? 'streamRawPredict?alt=sse' : 'rawPredict';
  return `${placeOf(target, 'v1')}/publishers/anthropic/models/${modelPath(claudeName(target))}:${method}`;
};

export const openUrl = (target: ChannelTarget): string =>
  `${placeOf(target, 'v1beta1')}/endpoints/openapi/chat/completions`;
