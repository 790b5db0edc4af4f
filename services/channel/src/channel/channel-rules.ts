import { findChannelType, keyTextFault, speechlessChannelTypes } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { isRegion, serviceAccountFault } from '@tollgate/providers';
import type { ChannelFields } from './channel-fields.js';

const VERTEX = 41;

const refuse = (code: string, message: string, params?: Record<string, string | number>): never => {
  throw new AppError('invalid', code, message, { params });
};

function checkType(type: number): void {
  if (!findChannelType(type)) refuse('channel-type-unknown', `渠道类型不存在：${type}`, { type });
}

/** Types without an address of their own cannot be called until the channel brings one. */
function checkAddress({ type, baseUrl }: Pick<ChannelFields, 'type' | 'baseUrl'>): void {
  const row = findChannelType(type);
  const isNeeded =
    row !== undefined && row.baseUrl === '' && ['required', 'endpoint', 'full-url', 'deployment'].includes(row.address);
  if (isNeeded && baseUrl === '') refuse('channel-address-missing', '该渠道类型需要填写 API 地址');
  if (URL.canParse(baseUrl)) checkUrl(baseUrl, row?.address === 'full-url');
}

function checkUrl(text: string, isWhole: boolean): void {
  const url = new URL(text);
  // Lists and audit entries show the address, so no secret may be part of it.
  if (url.username !== '' || url.password !== '')
    refuse('channel-address-with-credentials', 'API 地址不能包含用户名或密码');
  // A path put behind one of these would become a part of it, and the call would go somewhere else.
  if (text.includes('#') || (text.includes('?') && !isWhole))
    refuse('channel-address-with-query', 'API 地址不能包含 ? 或 #');
  // Whoever names a model would decide which host gets the key.
  if (url.host.includes('{')) refuse('channel-address-host-varies', 'API 地址的主机名不能包含 {model}');
}

/** A region is a plain name, or a JSON object of model → region with a default. */
function checkRegion({ type, other }: Pick<ChannelFields, 'type' | 'other'>): void {
  if (type !== VERTEX) return;
  if (other === '') refuse('channel-region-missing', '部署地区不能为空');
  const regions = other.startsWith('{') ? parseObject(other) : { default: other };
  if (typeof regions?.default !== 'string' || regions.default === '')
    return refuse('channel-region-without-default', '部署地区必须包含default字段');
  for (const region of Object.values(regions))
    if (typeof region !== 'string' || !isRegion(region))
      refuse('channel-region-unknown', `部署地区不合法：${String(region)}`, { region: String(region) });
}

/** The key of a service account is the file that Google gives for it. */
function checkServiceAccount(key: string): void {
  const fault = serviceAccountFault(key);
  if (fault === 'json')
    refuse('channel-key-not-json', '密钥应为服务账号的 JSON 文件内容，请粘贴从 Google Cloud 下载的完整文件');
  else if (fault !== undefined)
    refuse('channel-key-incomplete', `服务账号密钥缺少字段或字段不合法：${fault}`, { field: fault });
}

/** What no upstream could be sent; `number` says which of several keys it is. */
export function checkKeyText(type: number, key: string, number = 1): void {
  const unusable = keyTextFault(key, findChannelType(type)?.keyIsJson === true);
  if (!unusable) return;
  const { fault, limit } = unusable;
  if (fault === 'long')
    refuse('channel-key-too-long', `第 ${number} 个密钥过长，最多 ${limit} 个字符`, { number, limit });
  refuse(
    'channel-key-unsendable',
    `第 ${number} 个密钥包含无法发送的字符（不可见字符、换行、全角或非英文字符），请重新复制`,
    { number },
  );
}

/** A hint such as `Ak|Sk|Region` or `id.secret` names the parts that a key of the type has. */
export function checkKey(type: number, key: string, number = 1): void {
  checkKeyText(type, key, number);
  if (type === VERTEX) return checkServiceAccount(key);
  const hint = findChannelType(type)?.keyHint ?? '';
  const separator = hint.includes('|') ? '|' : '.';
  const names = hint.split(separator);
  const parts = key.split(separator).map((part) => part.trim());
  if (names.length > 1 && (parts.length !== names.length || parts.includes('')))
    refuse('channel-key-malformed', `密钥格式应为 ${hint}`, { format: hint });
}

/** A task is asked after by the key that began it, and a key that is a document has lines of its own. */
export function checkKeyMode({ type, keyMode }: Pick<ChannelFields, 'type' | 'keyMode'>): void {
  if (keyMode === '') return;
  const takesTasks = (speechlessChannelTypes as readonly number[]).includes(type);
  if (takesTasks || findChannelType(type)?.keyIsJson === true)
    refuse('channel-single-key', '该渠道类型不支持多密钥模式', { type });
}

/** What must fit together whatever the form sent; the schema has judged each field by itself. */
export function checkFields(fields: Pick<ChannelFields, 'type' | 'baseUrl' | 'other'>): void {
  checkType(fields.type);
  checkAddress(fields);
  checkRegion(fields);
}

/** Undefined for blank or broken text: what was stored before a rule existed must not stop the routing. */
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
