import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../adapter.js';
import { cleanSchema } from './schema.js';

const address = { type: 'object', title: 'Address', properties: { city: { type: 'string', title: 'City' } } };
const cleaned = { type: 'object', properties: { city: { type: 'string' } } };

describe('a JSON Schema for Gemini', () => {
  it.each(['$defs', 'definitions'])('has definitions of %s in place of the references to them', (place) => {
    const home = { $ref: `#/${place}/Address`, description: 'where' };
    const schema = {
      type: 'object',
      properties: { home, all: { type: 'array', items: { $ref: `#/${place}/Address` } } },
      [place]: { Address: address },
    };
    expect(cleanSchema(schema)).toEqual({
      type: 'object',
      properties: { home: { ...cleaned, description: 'where' }, all: { type: 'array', items: cleaned } },
    });
  });

  it('has any object for what refers to itself, to nothing or elsewhere', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } };
    expect(cleanSchema({ $ref: '#/$defs/Node', $defs: { Node: node } })).toEqual({
      type: 'object',
      properties: { next: { type: 'object' } },
    });
    expect(cleanSchema({ $ref: '#/$defs/None' })).toEqual({ type: 'object' });
    expect(cleanSchema({ $ref: 'https://x.example/a.json' })).toEqual({ type: 'object' });
  });

  it('does not grow without bound', () => {
    const both = (name: string): JsonObject => ({
      type: 'object',
      properties: { a: { $ref: `#/$defs/${name}` }, b: { $ref: `#/$defs/${name}` } },
    });
    const names = Array.from({ length: 40 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(names.map((name, index) => [name, both(`d${index + 1}`)]));
    expect(JSON.stringify(cleanSchema({ ...both('d0'), $defs })).length).toBeLessThan(1024 * 1024);
    const deep = (schema: JsonObject): JsonObject =>
      Array.from({ length: 190 }).reduce<JsonObject>((items) => ({ items }), schema);
    const chain = Array.from({ length: 500 }, (_, index) => [`c${index}`, deep({ $ref: `#/$defs/c${index + 1}` })]);
    const ends = cleanSchema({ $ref: '#/$defs/c0', $defs: Object.fromEntries(chain) as JsonObject });
    expect(JSON.stringify(ends).match(/items/g)).toHaveLength(8 * 190);
  });

  it('keeps properties that are named like keywords', () => {
    const schema = { type: 'object', properties: { definitions: { type: 'string' }, $ref: { type: 'string' } } };
    expect(cleanSchema(schema)).toEqual(schema);
  });
});
