import type { Capability, ChannelType, SpeechlessChannelType } from '@tollgate/contracts';
import { channelTypes } from '@tollgate/contracts';
import type { ChannelTarget, Provider } from './adapter.js';
import { aliEmbeddings } from './ali/embeddings.js';
import { readAliError } from './ali/error.js';
import { aliImages } from './ali/images.js';
import { modelPath } from './channel/model-path.js';
import { conversations } from './clients/every-client.js';
import { cloudflareCompletions } from './cloudflare/completions.js';
import { readCloudflareError } from './cloudflare/error.js';
import { cloudflareTranscriptions } from './cloudflare/transcriptions.js';
import { imagen } from './imagen/index.js';
import { ollamaEmbeddings } from './ollama/embeddings.js';
import { remoteImages } from './ollama/remote-images.js';
import { siliconFlowImages } from './siliconflow/images.js';
import { anthropic } from './upstreams/anthropic.js';
import { azure } from './azure/index.js';
import { baidu } from './baidu/index.js';
import { bedrock } from './bedrock/index.js';
import { coze } from './coze/index.js';
import { dify } from './dify/index.js';
import { cohere } from './cohere/index.js';
import { overEmbeddings } from './gemini/embed-contents.js';
import { gemini } from './upstreams/gemini.js';
import { mistral } from './mistral/index.js';
import { cloudflareRerank, jinaRerank } from './rerank/adapters.js';
import { tencent } from './tencent/index.js';
import { vertex } from './vertex/index.js';
import { xunfei } from './xunfei/index.js';
import { zhipuV3 } from './zhipu-v3/index.js';
import { clamp, keepOnly, type Quirks, urlOf } from './openai-compatible/quirks.js';
import { openAiRealtime } from './realtime/open-ai.js';
import {
  openAiAudio,
  openAiCompatible,
  openAiOthers,
  openAiPictures,
  openAiResponses,
  type TextCapabilities,
} from './upstreams/openai-compatible.js';
import { zhipuV4 } from './zhipu-v4/index.js';

/** Takes audio without a form, so it has an adapter of its own. */
const CLOUDFLARE = 39;
const ALI = 17;
const SILICON_FLOW = 40;
/** These generate pictures with an API of their own and have no image edits. */
const ownPictures: ReadonlySet<ChannelType> = new Set([ALI, SILICON_FLOW]);

/** A provider for an OpenAI-compatible upstream with the capabilities and default address of its channel type. */
function family(type: ChannelType, quirks: Quirks = {}): TextCapabilities & Provider {
  const { baseUrl, capabilities } = channelTypes[type];
  const own = { defaultBaseUrl: baseUrl, ...quirks };
  const has = (name: Capability): boolean => (capabilities as readonly Capability[]).includes(name);
  return {
    ...openAiCompatible(own),
    ...(has('audio') && type !== CLOUDFLARE && openAiAudio(own)),
    ...(has('rerank') && { rerank: jinaRerank(own) }),
    ...(has('images') && !ownPictures.has(type) && openAiPictures(own)),
    ...(has('responses') && { responses: openAiResponses(own) }),
    ...(has('images') && has('audio') && openAiOthers(own)),
  };
}

const only = <Name extends keyof Provider>(provider: Provider, ...names: Name[]): Provider =>
  Object.fromEntries(names.map((name) => [name, provider[name]]));

/** The channel's address is the complete URL; `{model}` in it is replaced. */
const custom = family(8, {
  url: ({ baseUrl, model }) => baseUrl.replaceAll('{model}', modelPath(model)),
  searches: true,
});

/** Names of VolcEngine apps, as opposed to models. */
const isVolcEngineBot = (model: string): boolean => model.startsWith('bot');

const volcEngine = family(45, {
  chatPath: '/api/v3/chat/completions',
  embeddingsPath: '/api/v3/embeddings',
  url: ({ baseUrl, model }, path) => {
    const base = (baseUrl || channelTypes[45].baseUrl).replace(/\/+$/, '');
    return base + (isVolcEngineBot(model) ? path.replace('/v3/chat/', '/v3/bots/chat/') : path);
  },
  streamUsage: 'ask',
});

const cloudflareQuirks: Quirks = {
  olderLimit: true,
  url: ({ baseUrl, other }, path) => {
    const base = (baseUrl || channelTypes[39].baseUrl).replace(/\/+$/, '');
    return `${base}/client/v4/accounts/${encodeURIComponent(other)}/ai${path}`;
  },
  streamUsage: 'ask',
  ownIds: true,
};
const cloudflare: Provider = {
  ...family(CLOUDFLARE, cloudflareQuirks),
  completions: cloudflareCompletions(cloudflareQuirks),
  transcriptions: cloudflareTranscriptions(cloudflareQuirks),
  rerank: cloudflareRerank(cloudflareQuirks),
  readError: readCloudflareError,
};

const aliQuirks: Quirks = {
  olderLimit: true,
  defaultBaseUrl: channelTypes[ALI].baseUrl,
  chatPath: '/compatible-mode/v1/chat/completions',
  completionsPath: '/compatible-mode/v1/completions',
  modelsPath: '/compatible-mode/v1/models',
  headers: ({ other }, isStream): Record<string, string> => ({
    ...(other && { 'x-dashscope-plugin': other }),
    ...(isStream && { 'x-dashscope-sse': 'enable' }),
  }),
  tweaks: [clamp('top_p', 0.001, 0.999)],
  streamUsage: 'ask',
};
const ali: Provider = {
  ...family(ALI, aliQuirks),
  embeddings: aliEmbeddings(aliQuirks),
  images: aliImages(aliQuirks),
  readError: readAliError,
};

const ollama: Provider = {
  ...family(4, { streamUsage: 'ask', olderLimit: true }),
  embeddings: ollamaEmbeddings({ defaultBaseUrl: channelTypes[4].baseUrl }),
  remoteMedia: remoteImages,
};

const siliconFlow: Provider = {
  ...family(SILICON_FLOW, { streamUsage: 'strip', olderLimit: true }),
  images: siliconFlowImages({ defaultBaseUrl: channelTypes[SILICON_FLOW].baseUrl }),
};

/** xAI refuses requests for pictures with unknown members. */
const xAi = family(48, {
  usage: { outputIsTotalMinusPrompt: true },
  streamUsage: 'ask',
  imageTweaks: [keepOnly('model', 'prompt', 'n', 'response_format')],
});

const ofOrganization = ({ organization }: ChannelTarget): Record<string, string> =>
  organization ? { 'openai-organization': organization } : {};

const openAi = {
  ...family(1, { headers: ofOrganization, streamUsage: 'ask', searches: true }),
  realtime: openAiRealtime({
    url: (target) => urlOf(target, { defaultBaseUrl: channelTypes[1].baseUrl }, '/v1/realtime'),
    headers: ofOrganization,
  }),
};

/** Perplexity searches before every answer. */
const perplexity = family(27, {
  olderLimit: true,
  chatPath: '/chat/completions',
  tweaks: [clamp('top_p', 0, 0.999)],
  streamUsage: 'strip',
  searches: true,
});

const openRouter = family(20, {
  headers: ({ settings: { product } }) => ({ 'http-referer': product.url, 'x-title': product.name }),
  streamUsage: 'ask',
  fetchesFiles: true,
  cacheMarks: true,
  searches: true,
});

/** The two have no address for legacy completions. */
const zhipu = only(zhipuV4, ...conversations, 'embeddings', 'models');
const baiduV2 = only(
  family(46, {
    chatPath: '/v2/chat/completions',
    embeddingsPath: '/v2/embeddings',
    modelsPath: '/v2/models',
    streamUsage: 'ask',
  }),
  ...conversations,
  'embeddings',
  'models',
);

/**
 * `satisfies` makes the compiler name a channel type that is missing here, or has a provider where the contract says it has none, or vice
 * versa. Calls of channels without a provider are refused.
 */
export const providers = {
  1: openAi,
  2: undefined,
  3: azure,
  4: ollama,
  5: undefined,
  6: family(6),
  7: family(7),
  8: only(custom, ...conversations, 'completions', 'embeddings', 'rerank', 'images', 'speech', 'moderations'),
  9: family(9),
  10: family(10),
  11: undefined,
  12: family(12),
  13: family(13),
  14: anthropic,
  15: baidu,
  16: zhipuV3,
  17: ali,
  18: xunfei,
  19: family(19, { olderLimit: true }),
  20: openRouter,
  21: undefined,
  22: { ...family(22), hasOwnContext: true },
  23: tencent,
  24: { ...gemini, images: imagen },
  25: family(25, { streamUsage: 'ask' }),
  26: zhipu,
  27: { ...only(perplexity, ...conversations), hasOwnContext: true },
  31: family(31, { olderLimit: true }),
  33: bedrock,
  34: cohere,
  35: family(35, { chatPath: '/v1/text/chatcompletion_v2' }),
  36: undefined,
  37: dify,
  38: only(family(38), 'embeddings', 'rerank'),
  39: cloudflare,
  40: siliconFlow,
  41: vertex,
  42: mistral,
  43: family(43, { completionsPath: '/beta/completions', streamUsage: 'ask', olderLimit: true, lacksSchema: true }),
  44: only(family(44, { embeddingsPath: '/embeddings' }), 'embeddings'),
  45: {
    ...only(volcEngine, ...conversations, 'embeddings'),
    hasOwnContext: isVolcEngineBot,
  },
  46: baiduV2,
  47: family(47, { streamUsage: 'ask' }),
  48: xAi,
  49: coze,
} satisfies Record<Exclude<ChannelType, SpeechlessChannelType>, Provider> & Record<SpeechlessChannelType, undefined>;

const withEmbedContents = (provider: Provider): Provider => {
  const { embeddings, embedContents } = provider;
  return embeddings && !embedContents ? { ...provider, embedContents: overEmbeddings(embeddings) } : provider;
};

const complete = new Map(
  Object.entries(providers).map(([type, provider]: [string, Provider | undefined]) => [
    Number(type),
    provider && withEmbedContents(provider),
  ]),
);

/** `undefined` for an unknown channel type and for one without a provider. */
export const findProvider = (channelType: number): Provider | undefined => complete.get(channelType);
