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
    ['vector 7: 2048×1024, high', 'gpt-4o', png(2048, 1024), 'high', 1105],
    ['a small square', 'gpt-4o', png(200, 200), undefined, 255],
    ['auto as high', 'gpt-4o', png(2048, 1024), 'auto', 1105],
    ['upright as lying', 'gpt-4o', png(1024, 2048), 'high', 1105],
    ['a mini model, which sees the same for more', 'gpt-4o-mini-2024-07-18', png(512, 512), 'high', 2833 + 5667],
    ['low', 'gpt-4o', png(2048, 1024), 'low', 85],
    ['glm-4v', 'glm-4v', png(2048, 1024), 'low', 1047],
    ['a strip a mile long, no more than is held', 'gpt-4o', png(768, 90_000), 'high', 85 + 8 * 170],
    ['an address', 'gpt-4o', 'https://example.test/a.png', 'high', 85 + 4 * 170],
    ['what is no picture', 'gpt-4o', 'data:image/png;base64,AAAA', 'high', 85 + 4 * 170],
  ])('counts %s', (_, model, data, detail, tokens) => {
    expect(pictureTokensOf(data, detail, { ...rules, model })).toBe(tokens);
  });

  it('looks at none where it may not, or where each counts the same', () => {
    expect(pictureTokensOf(png(2048, 1024), 'high', { ...rules, looks: false })).toBe(255);
    expect(pictureTokensOf(png(2048, 1024), 'high', { ...rules, flat: 255 })).toBe(255);
    expect(pictureTokensOf(png(2048, 1024), 'low', { ...rules, flat: 255 })).toBe(85);
  });
});
