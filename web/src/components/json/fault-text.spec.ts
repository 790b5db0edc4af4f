import { expect, it } from '@jest/globals';
import { texts as en } from '../../app/i18n/en.js';
import { faultText } from './fault-text.js';
import { jsonFault } from './json-text.js';

const say = (key: string, values: Record<string, unknown> = {}): string =>
  en.json[key.replace('json.', '') as 'place'].replace(/\{\{(\w+)\}\}/g, (_, name: string) => String(values[name]));
const textOf = (text: string) => {
  const fault = jsonFault(text);
  return fault && faultText(say, fault);
};

it('quotes the characters at a fault, and nothing at the end of the text', () => {
  expect(textOf('{"a": x}')).toBe('line 1, column 7, near “x}”');
  expect(textOf('{"a"')).toBe('line 1, column 5');
});
