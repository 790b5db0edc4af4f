import { describe, expect, it } from '@jest/globals';
import { parametersOf } from './query-string.js';

describe('the parameters of a query', () => {
  it.each([
    ['', {}],
    ['p=1&size=5', { p: '1', size: '5' }],
    ['username=a&username=b', { username: 'a' }],
    ['username=&username=b', { username: '' }],
    ['flag', { flag: '' }],
    ['a+b=c%20d&%E4%B8%AD=%E6%96%87', { 'a b': 'c d', 中: '文' }],
    ['broken=%E4%', { broken: '\uFFFD%' }],
    ['__proto__=1&__proto__=2', { ['__proto__']: '1' }],
  ])('%j', (query, expected) => {
    expect(parametersOf(query)).toEqual(expected);
  });
});
