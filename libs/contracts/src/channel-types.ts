import { channelModels } from './channel-models.js';

/** The 15 tag colours of the specification. */
type TagColor =
  | 'amber'
  | 'blue'
  | 'cyan'
  | 'green'
  | 'grey'
  | 'indigo'
  | 'light-blue'
  | 'lime'
  | 'orange'
  | 'pink'
  | 'purple'
  | 'red'
  | 'teal'
  | 'violet'
  | 'yellow';

/** What a channel type can serve in principle; the provider registry determines what is implemented. */
export type Capability =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'images'
  | 'audio'
  | 'rerank'
  | 'realtime'
  | 'messages'
  | 'responses'
  | 'tasks';

/**
 * How the form requests the address: with a default, required, labelled for the type (Azure endpoint, full custom URL, private deployment,
 * Suno address), or not at all.
 */
type AddressField = 'optional' | 'required' | 'endpoint' | 'full-url' | 'deployment' | 'none';

/** Meaning of the column `other` for this type. */
export type OtherField =
  'api-version' | 'plugin' | 'spark-version' | 'knowledge-id' | 'account-id' | 'region' | 'bot-id';

export interface ChannelTypeRow {
  /** Folder name of the provider, and a stable id in tests and translations. */
  slug: string;
  /** `owned_by` of its models in the model list. */
  ownedBy: string;
  label: string;
  color: TagColor;
  /** Default address; empty if the channel must state one. */
  baseUrl: string;
  keyHint: string;
  models: readonly string[];
  capabilities: readonly Capability[];
  address: AddressField;
  /** `required`: without it no call can be made. */
  other?: { field: OtherField; default?: string; required?: true };
  /** The form has a field for the organization id. */
  organization?: true;
  /** The key is a JSON document, so keys cannot be entered one per line. */
  keyIsJson?: true;
  /** The form shows a hint above its fields. */
  banner?: 'azure' | 'custom' | 'dify';
  /** The upstream no longer exists, or never did: existing channels are kept but cannot be called. */
  retired?: true;
}

const KEY_HINT = '请输入渠道对应的鉴权密钥';
const text: readonly Capability[] = ['chat', 'completions', 'embeddings', 'messages'];
const openAiFamily: readonly Capability[] = [...text, 'images', 'audio', 'rerank'];
const chatOnly: readonly Capability[] = ['chat', 'messages'];

type Details = Partial<Omit<ChannelTypeRow, 'slug' | 'label' | 'color'>>;

/** `slug, label, colour`, then the differences from an ordinary OpenAI-compatible channel. */
const row = (slug: string, label: string, color: TagColor, details: Details = {}): ChannelTypeRow => ({
  slug,
  label,
  color,
  ownedBy: slug,
  baseUrl: '',
  keyHint: KEY_HINT,
  models: channelModels.none,
  capabilities: openAiFamily,
  address: 'optional',
  ...details,
});

/** A reseller of OpenAI's API, with OpenAI's models. */
const reseller = { ownedBy: 'openai', models: channelModels.openAi } satisfies Details;

/** All channel types by number; 28 to 30 and 32 were never used. */
export const channelTypes = {
  1: row('openai', 'OpenAI', 'green', {
    baseUrl: 'https://api.openai.com',
    models: channelModels.openAi,
    organization: true,
    capabilities: [...openAiFamily, 'realtime', 'responses'],
  }),
  2: row('midjourney', 'Midjourney Proxy', 'light-blue', {
    baseUrl: 'https://oa.api2d.net',
    models: channelModels.midjourney,
    capabilities: ['tasks'],
  }),
  3: row('azure', 'Azure OpenAI', 'teal', {
    ...reseller,
    address: 'endpoint',
    other: { field: 'api-version' },
    banner: 'azure',
    capabilities: [...openAiFamily, 'realtime', 'responses'],
  }),
  4: row('ollama', 'Ollama', 'grey', {
    baseUrl: 'http://localhost:11434',
    models: channelModels.ollama,
    capabilities: text,
  }),
  5: row('midjourney-plus', 'Midjourney Proxy Plus', 'blue', {
    baseUrl: 'https://api.openai-sb.com',
    ownedBy: 'midjourney',
    models: channelModels.midjourneyPlus,
    capabilities: ['tasks'],
  }),
  6: row('openai-max', 'OpenAIMax', 'grey', { ...reseller, baseUrl: 'https://api.openaimax.com' }),
  7: row('ohmygpt', 'OhMyGPT', 'grey', { ...reseller, baseUrl: 'https://api.ohmygpt.com' }),
  8: row('custom', '自定义渠道', 'pink', { ...reseller, address: 'full-url', banner: 'custom' }),
  9: row('ails', 'AILS', 'grey', { ...reseller, baseUrl: 'https://api.caipacity.com' }),
  10: row('ai-proxy', 'AIProxy', 'grey', { ...reseller, baseUrl: 'https://api.aiproxy.io' }),
  11: row('palm', 'Google PaLM2', 'orange', {
    ownedBy: 'google palm',
    models: channelModels.palm,
    capabilities: [],
    retired: true,
  }),
  12: row('api2gpt', 'API2GPT', 'grey', { ...reseller, baseUrl: 'https://api.api2gpt.com' }),
  13: row('aigc2d', 'AIGC2D', 'grey', { ...reseller, baseUrl: 'https://api.aigc2d.com' }),
  14: row('anthropic', 'Anthropic Claude', 'indigo', {
    baseUrl: 'https://api.anthropic.com',
    ownedBy: 'claude',
    models: channelModels.anthropic,
    capabilities: chatOnly,
  }),
  15: row('baidu', '百度文心千帆', 'blue', {
    baseUrl: 'https://aip.baidubce.com',
    keyHint: 'APIKey|SecretKey',
    models: channelModels.baidu,
    capabilities: ['chat', 'messages', 'embeddings'],
  }),
  16: row('zhipu', '智谱 ChatGLM', 'violet', {
    baseUrl: 'https://open.bigmodel.cn',
    keyHint: 'id.secret',
    models: channelModels.zhipu,
    capabilities: chatOnly,
  }),
  17: row('ali', '阿里通义千问', 'orange', {
    baseUrl: 'https://dashscope.aliyuncs.com',
    models: channelModels.ali,
    other: { field: 'plugin' },
    capabilities: [...text, 'images'],
  }),
  18: row('xunfei', '讯飞星火认知', 'blue', {
    keyHint: 'APPID|APISecret|APIKey',
    models: channelModels.xunfei,
    other: { field: 'spark-version', default: 'v2.1' },
    capabilities: chatOnly,
  }),
  19: row('ai360', '360 智脑', 'blue', { baseUrl: 'https://api.360.cn', models: channelModels.ai360 }),
  20: row('openrouter', 'OpenRouter', 'green', { baseUrl: 'https://openrouter.ai/api' }),
  21: row('ai-proxy-library', '知识库：AI Proxy', 'purple', {
    baseUrl: 'https://api.aiproxy.io',
    other: { field: 'knowledge-id' },
    capabilities: [],
    retired: true,
  }),
  22: row('fastgpt', '知识库：FastGPT', 'blue', {
    ...reseller,
    baseUrl: 'https://fastgpt.run/api/openapi',
    address: 'deployment',
    keyHint: 'APIKey-AppId',
  }),
  23: row('tencent', '腾讯混元', 'teal', {
    baseUrl: 'https://hunyuan.tencentcloudapi.com',
    keyHint: 'AppId|SecretId|SecretKey',
    models: channelModels.tencent,
    capabilities: chatOnly,
  }),
  24: row('gemini', 'Google Gemini', 'orange', {
    baseUrl: 'https://generativelanguage.googleapis.com',
    ownedBy: 'google gemini',
    models: channelModels.gemini,
    other: { field: 'api-version' },
    capabilities: ['chat', 'messages', 'embeddings', 'images'],
  }),
  25: row('moonshot', 'Moonshot', 'green', { baseUrl: 'https://api.moonshot.cn', models: channelModels.moonshot }),
  26: row('zhipu-v4', '智谱 GLM-4V', 'purple', {
    baseUrl: 'https://open.bigmodel.cn',
    ownedBy: 'zhipu_4v',
    models: channelModels.zhipuV4,
    capabilities: [...chatOnly, 'embeddings'],
  }),
  27: row('perplexity', 'Perplexity', 'blue', {
    baseUrl: 'https://api.perplexity.ai',
    models: channelModels.perplexity,
    capabilities: chatOnly,
  }),
  31: row('lingyi', '零一万物', 'green', {
    baseUrl: 'https://api.lingyiwanwu.com',
    ownedBy: 'lingyiwanwu',
    models: channelModels.lingyi,
  }),
  33: row('aws', 'AWS Claude', 'indigo', {
    keyHint: 'Ak|Sk|Region',
    models: channelModels.bedrock,
    capabilities: chatOnly,
  }),
  34: row('cohere', 'Cohere', 'purple', {
    baseUrl: 'https://api.cohere.ai',
    models: channelModels.cohere,
    capabilities: [...chatOnly, 'rerank'],
  }),
  35: row('minimax', 'MiniMax', 'green', { baseUrl: 'https://api.minimax.chat', models: channelModels.miniMax }),
  36: row('suno', 'Suno API', 'purple', { address: 'deployment', models: channelModels.suno, capabilities: ['tasks'] }),
  37: row('dify', 'Dify', 'teal', { baseUrl: 'https://api.dify.ai', capabilities: chatOnly, banner: 'dify' }),
  38: row('jina', 'Jina', 'blue', {
    baseUrl: 'https://api.jina.ai',
    models: channelModels.jina,
    capabilities: ['embeddings', 'rerank'],
  }),
  39: row('cloudflare', 'Cloudflare', 'grey', {
    baseUrl: 'https://api.cloudflare.com',
    models: channelModels.cloudflare,
    other: { field: 'account-id', required: true },
    capabilities: [...text, 'audio', 'rerank'],
  }),
  40: row('siliconflow', 'SiliconCloud', 'purple', {
    baseUrl: 'https://api.siliconflow.cn',
    models: channelModels.siliconFlow,
    capabilities: [...text, 'images', 'rerank'],
  }),
  41: row('vertex', 'Vertex AI', 'blue', {
    ownedBy: 'vertex-ai',
    models: channelModels.vertex,
    other: { field: 'region', required: true },
    keyIsJson: true,
    capabilities: chatOnly,
  }),
  42: row('mistral', 'Mistral AI', 'blue', {
    baseUrl: 'https://api.mistral.ai',
    models: channelModels.mistral,
    capabilities: text,
  }),
  43: row('deepseek', 'DeepSeek', 'blue', {
    baseUrl: 'https://api.deepseek.com',
    models: channelModels.deepSeek,
    capabilities: text,
  }),
  44: row('mokaai', '嵌入模型：MokaAI M3E', 'purple', {
    baseUrl: 'https://api.moka.ai',
    models: channelModels.mokaAi,
    capabilities: ['embeddings'],
  }),
  45: row('volcengine', '字节火山方舟、豆包、DeepSeek通用', 'blue', {
    baseUrl: 'https://ark.cn-beijing.volces.com',
    models: channelModels.volcEngine,
    address: 'none',
    capabilities: ['chat', 'messages', 'embeddings'],
  }),
  46: row('baidu-v2', '百度文心千帆V2', 'blue', {
    baseUrl: 'https://qianfan.baidubce.com',
    ownedBy: 'volcengine',
    models: channelModels.baiduV2,
    capabilities: [...chatOnly, 'embeddings'],
  }),
  47: row('xinference', 'Xinference', 'blue', { address: 'required', models: channelModels.xinference }),
  48: row('xai', 'xAI', 'blue', {
    baseUrl: 'https://api.x.ai',
    models: channelModels.xAi,
    capabilities: [...text, 'images'],
  }),
  49: row('coze', 'Coze', 'blue', {
    baseUrl: 'https://api.coze.cn',
    models: channelModels.coze,
    other: { field: 'bot-id', required: true },
    capabilities: chatOnly,
  }),
} as const satisfies Record<number, ChannelTypeRow>;

export type ChannelType = keyof typeof channelTypes;

/**
 * Types that serve no conversations: retired ones, and those for tasks. Calls of their models are answered with `invalid_api_type`. The
 * provider registry is typed by this list, so the two cannot differ.
 */
export const speechlessChannelTypes = [2, 5, 11, 21, 36] as const satisfies readonly ChannelType[];
export type SpeechlessChannelType = (typeof speechlessChannelTypes)[number];

export const isChannelType = (type: number): type is ChannelType => Object.hasOwn(channelTypes, type);

/** `undefined` for an unknown number. */
export const findChannelType = (type: number): ChannelTypeRow | undefined =>
  isChannelType(type) ? channelTypes[type] : undefined;

/** Default models of a new channel of this type; empty for an unknown number. */
export const defaultModelsOf = (type: number): readonly string[] => findChannelType(type)?.models ?? [];

const owners = new Map<string, string>();
// A model belongs to the first type that lists it: the maker's number precedes those of resellers and clouds.
for (const { models, ownedBy } of Object.values(channelTypes) as ChannelTypeRow[]) {
  for (const model of models) if (!owners.has(model)) owners.set(model, ownedBy);
}

/** `owned_by` in a model list; `custom` for names outside the built-in catalogue. */
export const ownerOf = (model: string): string =>
  owners.get(model) ?? (model.startsWith('mj_') ? 'midjourney' : 'custom');

/** The static catalogue of all types, each name once. */
export const builtInModels: readonly string[] = [...owners.keys()];
