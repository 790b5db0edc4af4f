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

  it('has in place of a reference whatever a pointer into the schema finds', () => {
    const names = {
      'a/b': { type: 'string' },
      'a~1b': { type: 'integer' },
      'x y': { type: 'boolean' },
      '50%': address,
    };
    const refs = [
      '#/properties/a/items',
      '#/$defs/a~1b',
      '#/$defs/a~01b',
      '#/$defs/x%20y',
      '#/%24defs/50%',
      '#/$defs/50%',
    ];
    const a = { type: 'array', items: { type: 'number' } };
    const found = (reference: string): unknown =>
      (cleanSchema({ properties: { a, found: { $ref: reference } }, $defs: names }).properties as JsonObject).found;
    expect(refs.map(found)).toEqual([
      { type: 'number' },
      { type: 'string' },
      { type: 'integer' },
      { type: 'boolean' },
      { type: 'object' },
      cleaned,
    ]);
    expect(found('#/properties/a')).toEqual(a);
    expect(found('#/oneOf/0')).toEqual({ type: 'object' });
    expect(found('#/properties/constructor')).toEqual({ type: 'object' });
    expect(cleanSchema({ anyOf: [{ type: 'string' }, { $ref: '#/anyOf/0' }] })).toEqual({
      anyOf: [{ type: 'string' }, { type: 'string' }],
    });
  });

  it('has the whole schema in place of a reference to it, once', () => {
    const next = { $ref: '#' };
    expect(cleanSchema({ type: 'object', properties: { next } })).toEqual({
      type: 'object',
      properties: { next: { type: 'object', properties: { next: { type: 'object' } } } },
    });
  });

  it('has at least the type of what refers to itself', () => {
    const within = (definition: JsonObject): unknown =>
      cleanSchema({ $ref: '#/$defs/A', $defs: { A: { ...definition, anyOf: [{ $ref: '#/$defs/A' }] } } }).anyOf;
    expect(within({ type: 'string', minLength: 1 })).toEqual([{ type: 'string' }]);
    expect(within({ type: ['number', 'null'] })).toEqual([{ type: 'number', nullable: true }]);
    // Gemini refuses a list without `items`.
    const list = { type: 'array', items: { type: 'string', minLength: 1 } };
    expect(within(list)).toEqual([{ type: 'array', items: { type: 'string' } }]);
    expect(within({ type: 'array', items: list })).toEqual([{ type: 'array', items: { type: 'object' } }]);
    expect(within({ type: 'array' })).toEqual([{ type: 'array', items: { type: 'object' } }]);
    expect(within({ type: 'x'.repeat(9) })).toEqual([{ type: 'object' }]);
    const chain = Array.from({ length: 9 }, (_, at) => [`c${at}`, { anyOf: [{ $ref: `#/$defs/c${at + 1}` }] }]);
    const $defs = { ...Object.fromEntries(chain), c8: { type: 'string', minLength: 1 } } as JsonObject;
    expect(JSON.stringify(cleanSchema({ $ref: '#/$defs/c0', $defs }))).toBe(
      '{"anyOf":['.repeat(8) + '{"type":"string"}' + ']}'.repeat(8),
    );
  });

  it.each<[string, (place: JsonObject) => JsonObject]>([
    ['after', (place) => ({ ...place, description: 'where', title: 'Home' })],
    ['before', (place) => ({ description: 'where', title: 'Home', ...place })],
  ])('keeps what is said beside a reference: %s it', (_, home) => {
    const $defs = { Address: { ...address, description: 'an address' } };
    expect(cleanSchema({ ...home({ $ref: '#/$defs/Address' }), $defs })).toEqual({ ...cleaned, description: 'where' });
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
    const many = Array.from({ length: 10_000 }, () => ({ $ref: '#/$defs/long' }));
    const long = { ...deep({}), type: ['array', ...Array<string>(100_000).fill('x')] };
    expect(JSON.stringify(cleanSchema({ anyOf: many, $defs: { long } })).length).toBeLessThan(1024 * 1024);
  });

  it('keeps properties that are named like keywords', () => {
    const schema = { type: 'object', properties: { definitions: { type: 'string' }, $ref: { type: 'string' } } };
    expect(cleanSchema(schema)).toEqual(schema);
  });
});
