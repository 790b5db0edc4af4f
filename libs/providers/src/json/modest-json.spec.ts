import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { parseObject } from './json.js';
import { isModestJson } from './modest-json.js';

const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
const listOf = (item: string, count: number): string =>
  `{"a":[${Array.from({ length: count }, () => item).join(',')}]}`;

describe('a text that is worth parsing', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is nested no deeper than a dialect may be', () => {
    expect([isModestJson(nested(200)), isModestJson(nested(201))]).toEqual([true, false]);
    expect(isModestJson('{"a":'.repeat(201))).toBe(false);
  });

  it('has a limited number of parts, but may have the numbers of a large batch of embeddings', () => {
    expect(isModestJson(listOf('{}', 999_000))).toBe(true);
    expect(isModestJson(listOf('{}', 1_000_001))).toBe(false);
    expect(isModestJson(listOf('""', 1_000_001))).toBe(false);
    expect(isModestJson(listOf('0', 2048 * 3072))).toBe(true);
    expect(isModestJson(listOf('0', 8_000_002))).toBe(false);
  });

  it('may contain brackets and quotes in strings', () => {
    for (const said of ['[', '\\"[', '\\\\', 'a\\\\\\"{'])
      expect(parseObject(`{"a":"${said.repeat(1000)}","b":1}`)).toMatchObject({ b: 1 });
    expect(isModestJson(`{"a":"${'\\\\'.repeat(300)}",${'['.repeat(300)}`)).toBe(false);
  });

  it('is the only one that is parsed', () => {
    const parse = jest.spyOn(JSON, 'parse');
    for (const text of ['['.repeat(1_000_000), '{"choices":' + '['.repeat(1_000_000), nested(5000)])
      expect(parseObject(text)).toBeUndefined();
    expect(parse).not.toHaveBeenCalled();
  });
});
