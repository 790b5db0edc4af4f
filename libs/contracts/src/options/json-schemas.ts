import type { z } from 'zod';
import { mostRatio } from '../quota-limits.js';
import { isSafeTemplate, reads, type Refuse } from './text-schemas.js';

const notJson = '不是合法的 JSON 字符串';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isString = (value: unknown): value is string => typeof value === 'string';
const isList = <Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] =>
  Array.isArray(value) && value.every(isItem);

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

interface MapRules<Item> {
  isItem: (item: unknown) => item is Item;
  /** The message that refuses an entry, or `undefined` if it is valid. */
  fault: (name: string, item: Item) => string | undefined;
  /** The message for text that is not a JSON map of such items. */
  notJson?: string;
  /** The message for an empty map, if that is not allowed. */
  whenEmpty?: string;
}

/** A JSON object whose members all have one type. */
const mapOf = <Item>(rules: MapRules<Item>): z.ZodType<Record<string, Item>, string> =>
  reads((value, refuse) => {
    const parsed = parseJson(value);
    if (!isObject(parsed)) return refuse(rules.notJson ?? notJson);
    if (rules.whenEmpty !== undefined && Object.keys(parsed).length === 0) return refuse(rules.whenEmpty);
    for (const [name, item] of Object.entries(parsed)) {
      if (!rules.isItem(item)) return refuse(rules.notJson ?? notJson);
      const fault = rules.fault(name, item);
      if (fault !== undefined) return refuse(fault);
    }
    return parsed as Record<string, Item>;
  });

// A literal such as 1e999 is valid JSON and is read as infinity; the upper bound refuses it.
const ratioFault = (name: string, ratio: number): string | undefined =>
  ratio >= 0 && ratio <= mostRatio ? undefined : `${name} 的值必须是 0 到 ${mostRatio} 之间的数字`;

/** Channels store their groups as one comma-separated list, so names must not contain commas. */
const groupFault = (name: string): string | undefined =>
  name === '' || name !== name.trim() || name.includes(',') || name.length > 64 ? `分组名称不合法: ${name}` : undefined;

/** Model name → ratio or price. */
export const modelNumbers = mapOf({ isItem: isNumber, fault: ratioFault });

/** This map also defines which groups exist, and keys of other groups are refused: with an empty map no key with a group would work. */
export const groupRatios = mapOf({
  isItem: isNumber,
  whenEmpty: '分组倍率至少需要包含一个分组',
  fault: (name, ratio) =>
    ratio < 0 ? `group ratio must be not less than 0: ${name}` : (groupFault(name) ?? ratioFault(name, ratio)),
});

const isRatioTable = (item: unknown): item is Record<string, number> =>
  isObject(item) && Object.values(item).every(isNumber);

/** User's group → request's group → ratio that replaces the latter's own. */
export const groupGroupRatios = mapOf({
  isItem: isRatioTable,
  fault: (name, ratios) => {
    const faults = Object.entries(ratios).map(([group, ratio]) => groupFault(group) ?? ratioFault(group, ratio));
    return groupFault(name) ?? faults.find((fault) => fault !== undefined);
  },
});

export const topUpGroupRatios = mapOf({
  isItem: isNumber,
  fault: ratioFault,
  notJson: '充值分组倍率不是合法的 JSON 字符串',
});

/** Group → display name in the console. */
export const groupNames = mapOf({ isItem: isString, fault: groupFault });

/** Group → [requests per window, 0 = unlimited; successful requests per window]. */
export const groupRateLimits = mapOf({
  isItem: (item): item is [total: number, success: number] =>
    isList(item, isNumber) && item.length === 2 && item.every(Number.isSafeInteger),
  fault: (name, [total, success]) =>
    total >= 0 && success >= 1 ? undefined : `${name} 的总请求数不能小于 0，成功请求数不能小于 1`,
});

export const texts = mapOf({ isItem: isString, fault: () => undefined });

/** Model → API version, which becomes a path segment of the upstream's address. */
export const versions = mapOf({
  isItem: isString,
  fault: (name, version) => (/^v\d+[a-z\d]*$/.test(version) ? undefined : `${name} 的版本不合法，例如 v1beta`),
});

export const maxTokensByModel = mapOf({
  isItem: isNumber,
  fault: (name, count) =>
    Number.isSafeInteger(count) && count >= 1 && count <= 10_000_000
      ? undefined
      : `${name} 的值必须是 1 到 10000000 之间的整数`,
});

const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;
const headerValue = /^[\t\x20-\x7e]*$/;

/** Model → header → values, sent upstream instead of the client's values. */
export const headersByModel = mapOf({
  isItem: (item): item is Record<string, string[]> =>
    isObject(item) && Object.values(item).every((list) => isList(list, isString)),
  fault: (_model, headers) => {
    for (const [name, values] of Object.entries(headers)) {
      if (!headerName.test(name) || !values.every((value) => headerValue.test(value))) return `请求头不合法: ${name}`;
    }
    return undefined;
  },
});

/** A JSON list of names, without repetitions. */
export const names = reads((value, refuse) => {
  const parsed = parseJson(value);
  return isList(parsed, isString) ? [...new Set(parsed)] : refuse(notJson);
});

const readChat = (chat: unknown, refuse: Refuse): Record<string, string> => {
  const entries = isObject(chat) ? Object.entries(chat) : [];
  const [name, template] = entries[0] ?? [];
  if (entries.length !== 1 || name === undefined || !isString(template)) return refuse(notJson);
  if (name.trim() === '') return refuse('聊天名称不能为空');
  return isSafeTemplate(template) ? { [name]: template } : refuse(`聊天链接不合法: ${name}`);
};

/** A JSON list of objects with a single member, name → link template, in menu order. */
export const chats = reads((value, refuse) => {
  const parsed = parseJson(value);
  return Array.isArray(parsed) ? parsed.map((chat: unknown) => readChat(chat, refuse)) : refuse(notJson);
});
