import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { pseudo } from './pseudo.js';

describe('the pseudo-language', () => {
  it('puts marks over the letters and makes each text longer by two fifths', () => {
    expect(pseudo({ action: { save: 'Save' } })).toEqual({ action: { save: '[Šåvé ö]' } });
    const long = 'A sentence of some length, as hints of a form are';
    const { text } = pseudo({ text: long });
    expect(String(text)).toHaveLength(Math.ceil(long.length * 1.4) + 2);
    expect(text).not.toMatch(/\b[A-Za-z]{4,}/);
  });

  it('keeps variables, formats and markup', () => {
    const { text } = pseudo({ text: 'Row {{start, integer}} of <1>{{total}}</1> $t(nav.log)' });
    for (const kept of ['{{start, integer}}', '<1>{{total}}</1>', '$t(nav.log)']) expect(text).toContain(kept);
  });

  it('can be loaded as a language', () => {
    const again = runInNewContext(`(${pseudo.toString()})`) as typeof pseudo;
    expect(again({ text: 'Log in' }).text).toBe(pseudo({ text: 'Log in' }).text);
  });
});
