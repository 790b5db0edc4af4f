import { describe, expect, it } from '@jest/globals';
import { pictureTokensOf } from './picture-tokens.js';

const png = (width: number, height: number): string => {
  const bytes = Buffer.alloc(40);
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return `data:image/png;base64,${bytes.toString('base64')}`;
};
const rules = { model: 'gpt-4o', looks: true };

describe('pictureTokensOf', () => {
  it.each([
    ['vector 7: 2048×1024, high', { model: 'gpt-4o', data: png(2048, 1024), detail: 'high' }, 1105],
    ['a small square', { model: 'gpt-4o', data: png(200, 200), detail: undefined }, 255],
    ['auto as high', { model: 'gpt-4o', data: png(2048, 1024), detail: 'auto' }, 1105],
    ['upright as lying', { model: 'gpt-4o', data: png(1024, 2048), detail: 'high' }, 1105],
    [
      'a mini model, which sees the same for more',
      { model: 'gpt-4o-mini-2024-07-18', data: png(512, 512), detail: 'high' },
      2833 + 5667,
    ],
    ['low', { model: 'gpt-4o', data: png(2048, 1024), detail: 'low' }, 85],
    ['glm-4v', { model: 'glm-4v', data: png(2048, 1024), detail: 'low' }, 1047],
    [
      'a strip a mile long, no more than is held',
      { model: 'gpt-4o', data: png(768, 90_000), detail: 'high' },
      85 + 8 * 170,
    ],
    ['an address', { model: 'gpt-4o', data: 'https://example.test/a.png', detail: 'high' }, 85 + 4 * 170],
    ['what is no picture', { model: 'gpt-4o', data: 'data:image/png;base64,AAAA', detail: 'high' }, 85 + 4 * 170],
  ])('counts %s', (_, { model, data, detail }, tokens) => {
    expect(pictureTokensOf(data, detail, { ...rules, model })).toBe(tokens);
  });

  it('ignores the size where it must not be read, or each picture counts the same', () => {
    expect(pictureTokensOf(png(2048, 1024), 'high', { ...rules, looks: false })).toBe(255);
    expect(pictureTokensOf(png(2048, 1024), 'high', { ...rules, flat: 255 })).toBe(255);
    expect(pictureTokensOf(png(2048, 1024), 'low', { ...rules, flat: 255 })).toBe(85);
  });
});
