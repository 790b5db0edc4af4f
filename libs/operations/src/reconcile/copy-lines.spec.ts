import { describe, expect, it } from '@jest/globals';
import { copied, CopyLines } from './copy-lines.js';

describe('CopyLines', () => {
  it('keeps lines of any length, as they are in UTF-8', () => {
    const lines = new CopyLines();
    const texts = ['plain\n', '错😀\n', '错'.repeat(3_000_000), 'x'.repeat(5_000_000), 'end\n'];
    for (const text of texts) lines.add(text);
    expect(lines.rows).toBe(5);
    expect(lines.bytes.equals(Buffer.from(texts.join('')))).toBe(true);
    lines.clear();
    lines.add('again\n');
    expect([lines.rows, lines.bytes.toString()]).toEqual([1, 'again\n']);
  });

  it('escapes texts for COPY', () => {
    for (let turn = 0; turn < 2; turn += 1) expect(copied('a\\b\tc\nd\re')).toBe('a\\\\b\\tc\\nd\\re');
    expect(copied('plain')).toBe('plain');
    expect(copied('nul \0 and half \ud800')).not.toMatch(/[\0\ud800]/);
  });
});
