import { describe, expect, it } from '@jest/globals';
import { createChannelSchema, updateChannelSchema } from '@tollgate/contracts/api/channel';
import { fieldsOf, keysOf, newFieldsOf, otherOf } from './channel-fields.js';

const form = { name: ' a ', key: 'k', type: 1, models: 'm' };

describe('fields of a channel form', () => {
  it('fill a new channel from the smallest valid form', () => {
    expect(newFieldsOf(createChannelSchema.parse(form))).toEqual({
      name: 'a',
      type: 1,
      organization: '',
      baseUrl: '',
      other: '',
      models: ['m'],
      groups: ['default'],
      modelMapping: '',
      statusCodeMapping: '',
      paramOverride: '',
      setting: '',
      autoBan: true,
      testModel: '',
      maxInputTokens: 0,
      priority: 0,
      weight: 0,
      tag: '',
      keyMode: '',
    });
  });

  it('split, trim and deduplicate lists', () => {
    const fields = newFieldsOf(createChannelSchema.parse({ ...form, models: ' b, a ,b,,', group: 'vip, default,vip' }));
    expect(fields).toMatchObject({ models: ['b', 'a'], groups: ['vip', 'default'] });
  });

  it('contain only the fields that a patch sent, cleared ones included', () => {
    const patch = updateChannelSchema.parse({
      id: 1,
      base_url: 'https://a.example//',
      tag: null,
      model_mapping: '',
      auto_ban: 0,
      weight: -3,
    });
    expect(fieldsOf(patch)).toEqual({
      baseUrl: 'https://a.example',
      tag: '',
      modelMapping: '',
      autoBan: false,
      weight: 0,
    });
  });

  it.each([
    [18, '', 'v2.1'],
    [18, 'v3.5', 'v3.5'],
    [1, '', ''],
  ])('read an empty version of type %i %p as %p', (type, other, expected) => {
    expect(otherOf({ type, other })).toBe(expected);
  });

  it('read one key per line, and a JSON document as one key', () => {
    expect(keysOf(' a \r\n\n b\n', false)).toEqual(['a', 'b']);
    expect(keysOf('{\n "a": 1\n}\n', true)).toEqual(['{\n "a": 1\n}']);
  });
});
