import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../adapter.js';
import { cleanSchema as clean, roomForDefinitions } from './write-schema.js';

const cleanSchema = (schema: JsonObject): JsonObject => clean(schema, roomForDefinitions());

const properties = (schemas: JsonObject): JsonObject => ({ type: 'object', properties: schemas });

describe('a schema for Gemini', () => {
  it('has no keyword that Google does not know, at any depth', () => {
    const unknown: JsonObject = {
      ...{ $schema: 's', $id: 'i', $comment: 'c', title: 'T', default: 1, examples: [1], additionalProperties: false },
      ...{ exclusiveMinimum: 1, exclusiveMaximum: 9, multipleOf: 2, uniqueItems: true, contentEncoding: 'base64' },
      ...{ propertyNames: {}, patternProperties: {}, not: {}, if: {}, then: {}, readOnly: true, $defs: {} },
    };
    const known: JsonObject = {
      ...{ type: 'array', description: 'd', minItems: 1, maxItems: 2, nullable: true },
      items: { type: 'string', minLength: 1, maxLength: 9, pattern: 'x', format: 'date-time', enum: ['a', 'b'] },
    };
    const written = {
      ...properties({ title: known, not: { type: 'integer', minimum: 0, maximum: 9 } }),
      required: ['title'],
    };
    const dirty = (schema: JsonObject): JsonObject =>
      Object.fromEntries(
        Object.entries({ ...unknown, ...schema }).map(([name, value]) => {
          if (name === 'items') return [name, dirty(value as JsonObject)];
          if (name !== 'properties') return [name, value];
          return [
            name,
            Object.fromEntries(Object.entries(value as JsonObject).map(([at, one]) => [at, dirty(one as JsonObject)])),
          ];
        }),
      );
    expect(cleanSchema(dirty(written))).toEqual(written);
  });

  it('has its definitions in the places that refer to them', () => {
    const city = { type: 'string', description: 'a city' };
    const schema = {
      ...properties({
        from: { $ref: '#/$defs/city' },
        to: { description: 'the end', $ref: '#/definitions/a~1b' },
        via: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/city' }, { type: 'null' }] } },
        by: { allOf: [{ $ref: '#/properties/from' }] },
      }),
      $defs: { city },
      definitions: { 'a/b': { $ref: '#/$defs/city' } },
    };
    expect(cleanSchema(schema)).toEqual(
      properties({
        from: city,
        to: { type: 'string', description: 'the end' },
        via: { type: 'array', items: { anyOf: [city, { type: 'null' }] } },
        by: city,
      }),
    );
  });

  it('is open where a definition contains itself', () => {
    const node = properties({ name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } });
    const open = { type: 'array', items: { type: 'object' } };
    const whole = properties({ name: { type: 'string' }, children: open });
    expect(cleanSchema({ $ref: '#/$defs/node', $defs: { node } })).toEqual(whole);
    expect(cleanSchema(properties({ self: { $ref: '#' } }))).toEqual(properties({ self: { type: 'object' } }));
  });

  it('lists texts only', () => {
    const schemas: JsonObject = {
      const: { const: 'cat' },
      number: { type: 'integer', const: 1 },
      numbers: { type: 'integer', enum: [1, 2] },
      perhaps: { type: ['string', 'null'], enum: ['a', null] },
    };
    expect(cleanSchema(properties(schemas)).properties).toEqual({
      const: { type: 'string', enum: ['cat'] },
      number: { type: 'integer' },
      numbers: { type: 'integer' },
      perhaps: { type: 'string', nullable: true, enum: ['a'] },
    });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a number', { const: 1 }, { type: 'integer' }],
    ['a fraction', { const: 1.5 }, { type: 'number' }],
    ['a number of a stated type', { type: 'number', const: 1 }, { type: 'number' }],
    ['a choice', { const: true }, { type: 'boolean' }],
    ['nothing', { const: null }, { type: 'null' }],
    ['texts', { enum: ['a', 'b', null] }, { type: 'string', nullable: true, enum: ['a', 'b'] }],
    ['numbers', { enum: [1, 2] }, { type: 'integer' }],
  ])('has the type of the values that it lists: %s', (_, schema, expected) => {
    expect(cleanSchema(properties({ a: schema })).properties).toEqual({ a: expected });
  });

  it('lists no empty text, and requires no property that it does not have', () => {
    const a = { type: 'string', enum: ['', 'x'] };
    expect(cleanSchema({ ...properties({ a }), required: ['a', 'b'] })).toEqual({
      ...properties({ a: { type: 'string', enum: ['x'] } }),
      required: ['a'],
    });
    expect(cleanSchema({ type: 'object', required: ['b'] })).toEqual({ type: 'object' });
    expect(cleanSchema({ allOf: [{ required: ['a'] }, properties({ a: { type: 'string' } })] })).toEqual({
      ...properties({ a: { type: 'string' } }),
      required: ['a'],
    });
  });

  const [text, number] = [{ type: 'string' }, { type: 'number' }];
  it.each<[string, JsonObject, JsonObject]>([
    ['a tuple', { prefixItems: [text, number] }, { anyOf: [text, number] }],
    ['a tuple and the rest', { prefixItems: [text], items: number }, { anyOf: [text, number] }],
    ['a tuple and no rest', { prefixItems: [text], items: false }, text],
    ['a tuple in its older form', { items: [text, number] }, { anyOf: [text, number] }],
  ])('has the items of %s', (_, schema, items) => {
    expect(cleanSchema({ type: 'array', ...schema })).toEqual({ type: 'array', items });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['an array says nothing of its items', { type: 'array' }, { type: 'array', items: text }],
    [
      'an array is a tuple of nothing',
      { type: ['array', 'null'], items: [] },
      { type: 'array', nullable: true, items: text },
    ],
    ['there are items', { items: number }, { type: 'array', items: number }],
    ['there are properties', { properties: { b: text } }, properties({ b: text })],
    [
      'a part has properties',
      { allOf: [{ properties: { b: text } }, { description: 'd' }] },
      { ...properties({ b: text }), description: 'd' },
    ],
  ])('has the type and the items that Google demands where %s', (_, schema, expected) => {
    expect(cleanSchema(schema)).toEqual(expected);
    expect(cleanSchema(properties({ a: schema }))).toEqual(properties({ a: expected }));
  });

  it('says what satisfies one or all of several schemas', () => {
    const [a, b] = ['a', 'b'].map((name) => ({ ...properties({ [name]: { type: 'string' } }), required: [name] }));
    expect(cleanSchema({ oneOf: [a ?? {}, b ?? {}] })).toEqual({ anyOf: [a, b] });
    expect(cleanSchema({ allOf: [a ?? {}, b ?? {}], properties: { c: { type: 'number' } } })).toEqual({
      ...properties({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'number' } }),
      required: ['a', 'b'],
    });
  });

  it.each<[string, JsonObject, string]>([
    ['nothing', { $ref: '#/$defs/gone', $defs: {} }, 'the schema has no #/$defs/gone'],
    ['another document', { $ref: 'https://x.example/s.json' }, 'the schema has no https://x.example/s.json'],
    ['what every object has', { $ref: '#/constructor' }, 'the schema has no #/constructor'],
  ])('is refused where it refers to %s', (_, schema, told) => {
    expect(() => cleanSchema(schema)).toThrow(told);
  });

  it('shares the room for definitions with the other schemas of its request', () => {
    const $defs = { long: { type: 'string', description: 'x'.repeat(200_000) } };
    const room = roomForDefinitions();
    const next = (): JsonObject => clean({ $ref: '#/$defs/long', $defs }, room);
    expect([next(), next()]).toEqual([$defs.long, $defs.long]);
    expect(next).toThrow('too large for gemini');
  });

  it.each([
    ['multiply', 20, 2],
    ['follow one another too far', 300, 1],
  ])('is refused where its definitions %s', (_, depth, width) => {
    const next = (index: number): JsonObject =>
      properties(
        Object.fromEntries(Array.from({ length: width }, (_, at) => [`p${at}`, { $ref: `#/$defs/d${index}` }])),
      );
    const $defs = Object.fromEntries(
      Array.from({ length: depth }, (_, index) => [
        `d${index}`,
        index + 1 < depth ? next(index + 1) : { type: 'string' },
      ]),
    );
    expect(() => cleanSchema({ ...next(0), $defs })).toThrow('too large for gemini');
  });

  it('is refused where all of many schemas are copied again at each level', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}]);
    let schema: JsonObject = properties(Object.fromEntries(many));
    for (let level = 0; level < 90; level += 1) schema = { allOf: [schema, { required: [`p${level}`] }] };
    expect(() => cleanSchema(schema)).toThrow('too large for gemini');
  });
});
