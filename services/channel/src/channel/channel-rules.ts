import { type OtherField, findChannelType, keyTextFault, speechlessChannelTypes } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { isRegion, serviceAccountFault } from '@tollgate/providers';
import { type ChannelFields, wireNameOf } from './channel-fields.js';

const VERTEX = 41;
/** Also in addresses that cannot be parsed, e.g. with the placeholder as port. */
const BRACE_BEFORE_PATH = /^\s*(?:[\w+.-]+:)?[/\\]*[^/\\?#]*\{/;

const refuse = (code: string, message: string, field: string, params?: Record<string, string | number>): never => {
  throw new AppError('invalid', code, message, { field, params });
};

function checkType(type: number): void {
  if (!findChannelType(type)) refuse('channel-type-unknown', `渠道类型不存在：${type}`, 'type', { type });
}

/** A type without a default address needs one in the channel. */
function checkAddress({ type, baseUrl }: Pick<ChannelFields, 'type' | 'baseUrl'>): void {
  const row = findChannelType(type);
  const isNeeded =
    row !== undefined && row.baseUrl === '' && ['required', 'endpoint', 'full-url', 'deployment'].includes(row.address);
  if (isNeeded && baseUrl === '') refuse('channel-address-missing', '该渠道类型需要填写 API 地址', 'base_url');
  // With a placeholder before the path, the client that chooses the model would choose the host that gets the key.
  if (BRACE_BEFORE_PATH.test(baseUrl))
    refuse('channel-address-host-varies', 'API 地址的主机名不能包含 {model}', 'base_url');
  if (URL.canParse(baseUrl)) checkUrl(baseUrl, row?.address === 'full-url');
}

function checkUrl(text: string, isWhole: boolean): void {
  const url = new URL(text);
  // Lists and audit entries show the address, so it must not contain a secret.
  if (url.username !== '' || url.password !== '')
    refuse('channel-address-with-credentials', 'API 地址不能包含用户名或密码', 'base_url');
  // A path appended after `?` or `#` would become part of the query or fragment, and the call would reach another
  // endpoint.
  if (text.includes('#') || (text.includes('?') && !isWhole))
    refuse('channel-address-with-query', 'API 地址不能包含 ? 或 #', 'base_url');
}

/** Codes and texts by the meaning of the field, for the types that require it. */
const MISSING: Readonly<Partial<Record<OtherField, readonly [code: string, message: string]>>> = {
  'account-id': ['channel-account-missing', 'Account ID 不能为空'],
  region: ['channel-region-missing', '部署地区不能为空'],
  'bot-id': ['channel-bot-missing', '智能体 ID 不能为空'],
};

/** To be called when type or `other` changed, so that a channel from before these rules can still be changed. */
export function checkOther({ type, other }: Pick<ChannelFields, 'type' | 'other'>): void {
  const row = findChannelType(type)?.other;
  const missing = row?.required ? MISSING[row.field] : undefined;
  if (missing && other.trim() === '') refuse(...missing, 'other');
  if (type === VERTEX) checkRegion(other);
}

/** A region is a plain name, or a JSON object of model → region with the entry `default`. */
function checkRegion(other: string): void {
  const regions = other.startsWith('{') ? parseObject(other) : { default: other };
  if (typeof regions?.default !== 'string' || regions.default === '')
    return refuse('channel-region-without-default', '部署地区必须包含default字段', 'other');
  for (const region of Object.values(regions))
    if (typeof region !== 'string' || !isRegion(region))
      refuse('channel-region-unknown', `部署地区不合法：${String(region)}`, 'other', { region: String(region) });
}

/** The key of a service account is the JSON file that Google provides. */
function checkServiceAccount(key: string): void {
  const fault = serviceAccountFault(key);
  if (fault === 'json')
    refuse('channel-key-not-json', '密钥应为服务账号的 JSON 文件内容，请粘贴从 Google Cloud 下载的完整文件', 'key');
  else if (fault !== undefined)
    refuse('channel-key-incomplete', `服务账号密钥缺少字段或字段不合法：${fault}`, 'key', { field: fault });
}

/** Throws for a key that cannot be sent to any upstream; `number` is its position among several keys. */
export function checkKeyText(type: number, key: string, number = 1): void {
  const unusable = keyTextFault(key, findChannelType(type)?.keyIsJson === true);
  if (!unusable) return;
  const { fault, limit } = unusable;
  if (fault === 'long')
    refuse('channel-key-too-long', `第 ${number} 个密钥过长，最多 ${limit} 个字符`, 'key', { number, limit });
  refuse(
    'channel-key-unsendable',
    `第 ${number} 个密钥包含无法发送的字符（不可见字符、换行、全角或非英文字符），请重新复制`,
    'key',
    { number },
  );
}

/** Hints such as `Ak|Sk|Region` or `id.secret` name the parts that a key of this type consists of. */
export function checkKey(type: number, key: string, number = 1): void {
  checkKeyText(type, key, number);
  if (type === VERTEX) return checkServiceAccount(key);
  const hint = findChannelType(type)?.keyHint ?? '';
  const separator = hint.includes('|') ? '|' : '.';
  const names = hint.split(separator);
  const parts = key.split(separator).map((part) => part.trim());
  if (names.length > 1 && (parts.length !== names.length || parts.includes('')))
    refuse('channel-key-malformed', `密钥格式应为 ${hint}`, 'key', { format: hint });
}

const MAX_KEYS = 1000;

/** Limits the keys of one text: those of one channel in multi-key mode, otherwise one channel is made of each. */
export function checkKeyCount({ keyMode }: Pick<ChannelFields, 'keyMode'>, count: number): void {
  if (count <= MAX_KEYS) return;
  if (keyMode === '') refuse('channel-keys-too-many', `一次最多创建 ${MAX_KEYS} 个渠道`, 'key', { limit: MAX_KEYS });
  refuse('channel-has-too-many-keys', `一个渠道最多 ${MAX_KEYS} 个密钥`, 'key', { limit: MAX_KEYS });
}

/**
 * Multi-key mode is refused for types with tasks, since a task must be polled with the key that submitted it, and for
 * types whose key is a document of several lines.
 */
export function checkKeyMode({ type, keyMode }: Pick<ChannelFields, 'type' | 'keyMode'>): void {
  if (keyMode === '') return;
  const takesTasks = (speechlessChannelTypes as readonly number[]).includes(type);
  if (takesTasks || findChannelType(type)?.keyIsJson === true)
    refuse('channel-single-key', '该渠道类型不支持多密钥模式', 'multi_key_mode', { type });
}

/** Rules that concern several fields; the schema has validated each single field. */
export function checkFields(fields: Pick<ChannelFields, 'type' | 'baseUrl'>): void {
  checkType(fields.type);
  checkAddress(fields);
}

const ADDRESS = 2 * 1024;
const DOCUMENT = 64 * 1024;
/** Characters at most: each relay keeps these texts, and each list of channels shows them. */
const longest = {
  organization: ADDRESS,
  baseUrl: ADDRESS,
  // Vertex takes a region for each model here.
  other: DOCUMENT,
  models: DOCUMENT,
  groups: DOCUMENT,
  modelMapping: DOCUMENT,
  statusCodeMapping: DOCUMENT,
  paramOverride: DOCUMENT,
  setting: DOCUMENT,
} as const satisfies { [Field in keyof ChannelFields]?: number };
type LimitedField = keyof typeof longest;

const isLimited = (field: keyof ChannelFields): field is LimitedField => Object.hasOwn(longest, field);

/** Checks only what has changed, so that a channel with longer texts from before these rules can still be changed. */
export function checkTexts(fields: Pick<ChannelFields, LimitedField>, changed: readonly (keyof ChannelFields)[]): void {
  for (const field of changed.filter(isLimited)) {
    const [value, limit, name] = [fields[field], longest[field], wireNameOf(field)];
    if (typeof value !== 'string') checkNames(value, name);
    const { length } = typeof value === 'string' ? value : value.join(',');
    if (length > limit) refuse('channel-text-too-long', `${name} 过长，最多 ${limit} 个字符`, name, { name, limit });
  }
}

/** No client can name a model with a line break, which comes from a list that was pasted without commas. */
function checkNames(names: readonly string[], field: string): void {
  if (names.some((name) => /\p{Cc}/u.test(name)))
    refuse('channel-name-unprintable', '名称不能包含换行等控制字符，请用逗号分隔', field);
}

/** Returns `undefined` for blank or invalid JSON: a value stored before there was a rule must not stop the routing. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
