import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../adapter.js';
import { RequestRejected } from '../adapter.js';
import { answerSchema } from './schema.js';

describe('the schema of an answer of Claude', () => {
  it.each<[string, JsonObject]>([
    ['minimum: 1, maximum: 5', { minimum: 1, maximum: 5 }],
    ['exclusiveMinimum: 0, exclusiveMaximum: 9', { exclusiveMinimum: 0, exclusiveMaximum: 9 }],
    ['multipleOf: 0.5', { multipleOf: 0.5 }],
    ['minLength: 1, maxLength: 80', { minLength: 1, maxLength: 80 }],
    ['maxItems: 3', { maxItems: 3 }],
    ['minItems: 2', { minItems: 2 }],
    ['uniqueItems: true', { uniqueItems: true }],
    ['format: "int64"', { format: 'int64' }],
  ])('says what it cannot demand in the description: %s', (words, keywords) => {
    expect(answerSchema({ type: 'x', ...keywords })).toEqual({ type: 'x', description: `(${words})` });
    const written = { type: 'x', description: `Of things. (${words})` };
    expect(answerSchema({ type: 'x', description: 'Of things.', ...keywords })).toEqual(written);
  });

  it('keeps what can be demanded', () => {
    const schema = {
      ...{ type: 'object', required: ['a'], additionalProperties: false, description: 'd' },
      properties: {
        a: { type: ['string', 'null'], format: 'date-time', default: null, pattern: '^x' },
        b: { type: 'array', minItems: 1, items: { enum: ['x', 1] } },
        c: { $ref: '#/$defs/c' },
        minimum: { const: 5 },
      },
      $defs: { c: { anyOf: [{ type: 'boolean' }, { type: 'null' }] } },
    };
    expect(answerSchema(schema)).toEqual(schema);
  });

  it('allows no other members in any object, wherever it is', () => {
    const open = (): JsonObject => ({ type: 'object', properties: { n: { type: 'integer', minimum: 1 } } });
    const properties = { n: { type: 'integer', description: '(minimum: 1)' } };
    const shut = { type: 'object', properties, additionalProperties: false };
    const written = answerSchema({
      ...{ $schema: 'http://json-schema.org/draft-07/schema#', type: ['object', 'null'], additionalProperties: true },
      properties: { a: open(), b: { type: 'array', items: open() }, c: { oneOf: [open()] }, d: { anyOf: [open()] } },
      $defs: { e: open() },
      definitions: { f: { allOf: [open()] }, g: { properties: {} } },
    });
    expect(written).toEqual({
      ...{ type: ['object', 'null'], additionalProperties: false },
      properties: { a: shut, b: { type: 'array', items: shut }, c: { anyOf: [shut] }, d: { anyOf: [shut] } },
      $defs: { e: shut },
      definitions: { f: { allOf: [shut] }, g: { properties: {}, additionalProperties: false } },
    });
  });

  it.each<[string, JsonObject]>([
    ['a map', { type: 'object', additionalProperties: { type: 'string' } }],
    ['any object', { type: 'object' }],
    ['any object, in so many words', { type: 'object', additionalProperties: true }],
    ['an object of parts', { type: 'object', properties: { a: {} }, anyOf: [{ $ref: '#/$defs/b' }] }],
    ['parts that belong together', { allOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }],
  ])('leaves a schema of other members to the upstream, which refuses it: %s', (_, schema) => {
    expect(answerSchema(schema)).toEqual(schema);
  });

  it('is refused beyond the depth that is read', () => {
    const deep = (levels: number): JsonObject =>
      levels === 0 ? { type: 'string' } : { type: 'array', items: deep(levels - 1) };
    expect(answerSchema(deep(200))).toEqual(deep(200));
    expect(() => answerSchema(deep(201))).toThrow(RequestRejected);
  });
});
