import type { ChannelTarget, ClientRequest, Provider } from '../adapter.js';
import type { Quirks } from '../openai-compatible/quirks.js';
import { openAiAudio, openAiCompatible, openAiPictures } from '../upstreams/openai-compatible.js';
import { splitEffort } from '../openai-compatible/reasoning.js';

/** Azure calls a model by its deployment, whose name cannot hold dots. */
const deploymentOf = (model: string): string => encodeURIComponent(splitEffort(model).model.replaceAll('.', ''));

function azureUrl(target: ChannelTarget, path: string, request?: ClientRequest): string {
  const base = target.baseUrl.replace(/\/+$/, '');
  const version = encodeURIComponent(request?.apiVersion || target.other || target.settings.azureApiVersion);
  const task = path.replace(/^\/v1\//, '');
  if (task === 'models') return `${base}/openai/models?api-version=${version}`;
  // Cloudflare's AI gateway has the deployments at its root.
  const root = base.startsWith('https://gateway.ai.cloudflare.com') ? '' : '/openai/deployments';
  return `${base}${root}/${deploymentOf(target.model)}/${task}?api-version=${version}`;
}

const quirks: Quirks = {
  url: azureUrl,
  authorize: ({ key }) => ({ 'api-key': key }),
  streamUsage: 'ask',
};

export const azure: Provider = { ...openAiCompatible(quirks), ...openAiAudio(quirks), ...openAiPictures(quirks) };
