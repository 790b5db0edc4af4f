import { type ChannelTarget, ChannelUnusable } from '../adapter.js';

interface AwsKey {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** Validated, because the region becomes part of the host name. */
const REGION = /^[a-z]{2}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/;

/** Throws `ChannelUnusable` for a key that is not `Ak|Sk|Region`. */
export function awsKeyOf(key: string): AwsKey {
  const [accessKeyId = '', secretAccessKey = '', region = '', ...rest] = key.split('|').map((part) => part.trim());
  if (accessKeyId === '' || secretAccessKey === '' || !REGION.test(region) || rest.length > 0)
    throw new ChannelUnusable('channel:invalid_key', 'invalid aws secret key');
  return { accessKeyId, secretAccessKey, region };
}

const dated = (name: string, version = 'v1:0'): readonly [string, string] => [name, `anthropic.${name}-${version}`];

/** Bedrock's ids of models that have another name at Anthropic; any other name is sent as the id. */
const ids: ReadonlyMap<string, string> = new Map([
  ['claude-instant-1.2', 'anthropic.claude-instant-v1'],
  ['claude-2.0', 'anthropic.claude-v2'],
  ['claude-2.1', 'anthropic.claude-v2:1'],
  dated('claude-3-sonnet-20240229'),
  dated('claude-3-opus-20240229'),
  dated('claude-3-haiku-20240307'),
  dated('claude-3-5-sonnet-20240620'),
  dated('claude-3-5-sonnet-20241022', 'v2:0'),
  dated('claude-3-5-haiku-20241022'),
  dated('claude-3-7-sonnet-20250219'),
]);

/** Region groups with cross-region inference, by model; the id is prefixed with the group. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'claude-3-sonnet-20240229': ['us', 'eu', 'ap'],
  'claude-3-haiku-20240307': ['us', 'eu', 'ap'],
  'claude-3-5-sonnet-20240620': ['us', 'eu', 'ap'],
  'claude-3-5-sonnet-20241022': ['us', 'ap'],
  'claude-3-opus-20240229': ['us'],
  'claude-3-5-haiku-20241022': ['us'],
  'claude-3-7-sonnet-20250219': ['us'],
};
const prefixes: Readonly<Record<string, string>> = { us: 'us.', eu: 'eu.', ap: 'apac.' };

/**
 * The Bedrock id of a model, prefixed with the region group if the model is served across regions. Unknown names are returned unchanged.
 */
export function modelIdOf(model: string, region: string): string {
  const id = ids.get(model);
  if (id === undefined) return model;
  const group = region.split('-')[0] ?? '';
  return groups[model]?.includes(group) ? `${prefixes[group] ?? ''}${id}` : id;
}

/** The channel's own address, e.g. of a private endpoint, or that of the region. */
export function invokeUrl(target: ChannelTarget, model: string, isStream: boolean): string {
  const { region } = awsKeyOf(target.key);
  const base = target.baseUrl.replace(/\/+$/, '') || `https://bedrock-runtime.${region}.amazonaws.com`;
  const call = isStream ? 'invoke-with-response-stream' : 'invoke';
  return `${base}/model/${encodeURIComponent(modelIdOf(model, region))}/${call}`;
}
