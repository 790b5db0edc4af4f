import { expect, it } from '@jest/globals';
import { texts as zh } from '../../app/i18n/zh.js';
import { faultText } from './fault-text.js';
import { jsonFault } from './json-text.js';

const say = (key: string, values: Record<string, unknown> = {}): string =>
  zh.json[key.replace('json.', '') as 'place'].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]));
const textOf = (text: string) => {
  const fault = jsonFault(text);
  return fault && faultText(say, fault);
};

it('quotes the characters at a fault, and nothing at the end of the text', () => {
  expect(textOf('{"a": x}')).toBe('第 1 行第 7 列，「x}」附近');
  expect(textOf('{"a"')).toBe('第 1 行第 5 列');
});
