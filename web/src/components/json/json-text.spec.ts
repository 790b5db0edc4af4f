import { describe, expect, it } from '@jest/globals';
import { jsonFault, layOut, offsetOf } from './json-text.js';

describe('jsonFault', () => {
  it('accepts blank text and objects only', () => {
    expect(jsonFault('  ')).toBeUndefined();
    expect(jsonFault('{"a": [1, -2.5e3, null, {"b": "c\\n"}], "d": {}}')).toBeUndefined();
    expect(jsonFault('[1]')).toEqual({ line: 1, column: 1, near: '[1]' });
  });

  it.each([
    ['{\n  "a": x\n}', 2, 8],
    ['{"a": 1', 1, 8],
    ['{"a": 1,}', 1, 9],
    ['{"a" 1}', 1, 6],
    ['{"a": [1, 2}', 1, 12],
    ['{"a": 1} }', 1, 10],
    ["{'a': 1}", 1, 2],
    ['{"a": 01}', 1, 8],
    ['', undefined, undefined],
  ])('states the position of the fault in %j', (text, line, column) => {
    const fault = jsonFault(text);
    expect([fault?.line, fault?.column]).toEqual([line, column]);
  });

  it('parses a text of ten thousand prices once, wherever it is invalid', () => {
    const prices = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`model-${at}`, 1.25]));
    const text = JSON.stringify(prices);
    expect(jsonFault(`${text}1`)).toMatchObject({ line: 1, column: text.length + 1 });
  });

  it('accepts an array where one is expected', () => {
    expect(jsonFault('[1]', 'any')).toBeUndefined();
    expect(jsonFault('[1', 'any')).toMatchObject({ line: 1, column: 3 });
  });

  it('converts the position to the right character', () => {
    const text = '{\n  "a": x\n}';
    const fault = jsonFault(text);
    expect(fault && text[offsetOf(text, fault)]).toBe('x');
  });

  it('formats valid JSON', () => {
    expect(layOut('{"a":1}')).toBe('{\n  "a": 1\n}');
  });
});
