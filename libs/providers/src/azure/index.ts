import type { ChannelTarget, ClientRequest, Provider } from '../adapter.js';
import type { Quirks } from '../openai-compatible/quirks.js';
import { azureRealtime } from '../realtime/open-ai.js';
import { jinaRerank } from '../rerank/adapters.js';
import { openAiAudio, openAiCompatible, openAiPictures, openAiResponses } from '../upstreams/openai-compatible.js';
import { splitEffort } from '../openai-compatible/reasoning.js';

/** Azure addresses a model by its deployment, assumed to have the model's name; for other names operators use the channel's mapping. */
const deploymentOf = (model: string): string => encodeURIComponent(splitEffort(model).model);

/** First API version that serves `/openai/responses`; for older versions the preview below `/openai/v1` is called. */
const FIRST_WITH_RESPONSES = '2025-03-01';

const responsesUrl = (base: string, version: string): string =>
  version >= FIRST_WITH_RESPONSES
    ? `${base}/openai/responses?api-version=${version}`
    : `${base}/openai/v1/responses?api-version=preview`;

const versionOf = (target: ChannelTarget, request?: Pick<ClientRequest, 'apiVersion'>): string =>
  encodeURIComponent(request?.apiVersion || target.other || target.settings.azureApiVersion);

function azureUrl(target: ChannelTarget, path: string, request?: ClientRequest): string {
  const base = target.baseUrl.replace(/\/+$/, '');
  const version = versionOf(target, request);
  const task = path.replace(/^\/v1\//, '');
  if (task === 'responses') return responsesUrl(base, version);
  if (task === 'models') return `${base}/openai/models?api-version=${version}`;
  // Cloudflare's AI gateway has the deployments at its root path.
  const root = base.startsWith('https://gateway.ai.cloudflare.com') ? '' : '/openai/deployments';
  return `${base}${root}/${deploymentOf(target.model)}/${task}?api-version=${version}`;
}

const quirks: Quirks = {
  url: azureUrl,
  authorize: ({ key }) => ({ 'api-key': key }),
  streamUsage: 'ask',
};

const realtime = azureRealtime((target, request) => {
  const base = target.baseUrl.replace(/\/+$/, '');
  return `${base}/openai/realtime?deployment=${deploymentOf(target.model)}&api-version=${versionOf(target, request)}`;
});

export const azure: Provider = {
  ...openAiCompatible(quirks),
  ...openAiAudio(quirks),
  ...openAiPictures(quirks),
  rerank: jinaRerank(quirks),
  realtime,
  responses: openAiResponses(quirks),
};
