import { describe, expect, it } from '@jest/globals';
import type { ChannelTypeRow } from './channel-types.js';
import {
  builtInModels,
  channelTypes,
  defaultModelsOf,
  findChannelType,
  isChannelType,
  ownerOf,
} from './channel-types.js';

const rows = Object.entries(channelTypes) as [string, ChannelTypeRow][];

describe('the table of channel types', () => {
  it('has every number from 1 to 49 that was ever used', () => {
    const unused = [28, 29, 30, 32];
    const expected = Array.from({ length: 49 }, (_, index) => index + 1).filter((type) => !unused.includes(type));

    expect(rows.map(([type]) => Number(type))).toEqual(expected);
    expect(isChannelType(48)).toBe(true);
    expect(isChannelType(28)).toBe(false);
    expect(findChannelType(0)).toBeUndefined();
  });

  it('gives each row a slug and a label of its own', () => {
    expect(new Set(rows.map(([, { slug }]) => slug)).size).toBe(rows.length);
    expect(new Set(rows.map(([, { label }]) => label)).size).toBe(rows.length);
  });

  it('has an address wherever the form does not ask for one', () => {
    const without = rows.filter(
      ([, { baseUrl, address }]) => !baseUrl && (address === 'optional' || address === 'none'),
    );

    // PaLM, Xunfei, Bedrock and Vertex build their addresses from the model, the version or the region.
    expect(without.map(([type]) => type)).toEqual(['11', '18', '33', '41']);
    for (const [, { baseUrl }] of rows) if (baseUrl) expect(new URL(baseUrl).href.replace(/\/$/, '')).toBe(baseUrl);
  });

  it('knows who owns a model, the maker before its resellers', () => {
    expect(ownerOf('gpt-4o')).toBe('openai');
    expect(ownerOf('claude-3-7-sonnet-20250219')).toBe('claude');
    expect(ownerOf('moonshot-v1-8k')).toBe('moonshot');
    expect(ownerOf('ernie-4.0-8k')).toBe('volcengine');
    expect(ownerOf('mj_anything')).toBe('midjourney');
    expect(ownerOf('my-own-model')).toBe('custom');
  });

  it('lists each built-in model once', () => {
    expect(new Set(builtInModels).size).toBe(builtInModels.length);
    expect(defaultModelsOf(1)).toHaveLength(64);
    expect(defaultModelsOf(999)).toEqual([]);
  });
});
