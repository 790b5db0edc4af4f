import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { toInvalid } from './validation.js';

const refusalOf = (schema: z.ZodType, input: unknown) => toInvalid(schema.safeParse(input).error?.issues ?? []);

describe('toInvalid', () => {
  it("reports the schema's own messages, field by field", () => {
    const schema = z.object({ name: z.string('请填写名称'), size: z.int('请填写数量') });
    const { message, details } = refusalOf(schema, { name: 1, size: 'x' });
    expect(message).toBe('请填写名称');
    expect(details.fields).toEqual([
      { path: 'name', code: 'invalid', params: { reason: '请填写名称' } },
      { path: 'size', code: 'invalid', params: { reason: '请填写数量' } },
    ]);
  });

  it('names the rule of ours that is broken', () => {
    const schema = z.object({
      name: z.string().refine(() => false, { error: '名称重复', params: { code: 'name-taken' } }),
    });
    expect(refusalOf(schema, { name: 'x' }).details.fields).toEqual([
      { path: 'name', code: 'name-taken', params: { reason: '名称重复' } },
    ]);
  });

  it('names the limit that is passed', () => {
    const schema = z.object({
      name: z.string().min(1),
      note: z.string().max(3),
      least: z.int().min(2),
      most: z.int().max(9),
    });
    const { details } = refusalOf(schema, { name: '', note: 'long', least: 1, most: 10 });
    expect(
      details.fields?.map(({ path, code, params: { reason: _, ...limits } = {} }) => [path, code, limits]),
    ).toEqual([
      ['name', 'field-missing', {}],
      ['note', 'field-too-long', { most: 3 }],
      ['least', 'field-too-small', { least: 2 }],
      ['most', 'field-too-large', { most: 9 }],
    ]);
  });

  it('names each field once, by what is wrong first', () => {
    const schema = z.object({ name: z.string().min(2, '太短').regex(/x/, '没有 x') });
    expect(refusalOf(schema, { name: 'a' }).details.fields).toEqual([
      { path: 'name', code: 'field-too-short', params: { reason: '太短', least: 2 } },
    ]);
  });

  it('passes on no default message of the library', () => {
    const { message, details } = refusalOf(z.object({ size: z.int().positive() }), { size: -1 });
    expect(message).toBe('无效的参数');
    expect(details.fields).toEqual([
      { path: 'size', code: 'field-not-above', params: { reason: '无效的参数', least: 0 } },
    ]);
  });
});
