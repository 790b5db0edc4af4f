import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { linesOf } from './lines.js';

async function split(chunks: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(Readable.from(chunks) as AsyncIterable<string>)) lines.push(line);
  return lines;
}

it('ends lines at line feeds alone, wherever the chunks end', async () => {
  const records = ['a\u2028b', 'c\u2029\u0085d', ''].map((text) => JSON.stringify({ text }));
  for (const size of [1, 3, 1000])
    expect(await split(`${records.join('\n')}\n`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])).toEqual(records);
  expect(await split(['one\ntwo'])).toEqual(['one', 'two']);
});
