import { describe, expect, it } from '@jest/globals';
import type { Channel } from '@tollgate/contracts/api/channel';
import { addNames, countKeys, formOf, newChannel, toCreate, toUpdate } from './channel-form.js';

const channel: Channel = {
  id: 4,
  type: 18,
  name: 'spark',
  status: 1,
  openai_organization: null,
  base_url: null,
  other: 'v2.1',
  models: 'a,b',
  group: 'default,vip',
  model_mapping: null,
  status_code_mapping: null,
  param_override: null,
  setting: null,
  auto_ban: 1,
  test_model: null,
  priority: 3,
  weight: 0,
  tag: null,
  created_time: 1,
  test_time: 0,
  response_time: 0,
  balance: 0,
  balance_updated_time: 0,
  used_quota: 0,
  other_info: '',
};

describe('channel form', () => {
  it('starts with the defaults of the spec', () => {
    expect(toCreate({ ...newChannel(), name: 'a', key: 'k', models: ['m'] })).toMatchObject({
      type: 1,
      auto_ban: 1,
      group: 'default',
      priority: 0,
      weight: 0,
      models: 'm',
      key: 'k',
    });
  });

  it('trims the address and fills the version of type 18', () => {
    expect(toCreate({ ...newChannel(), base_url: 'https://a.example/ ' }).base_url).toBe('https://a.example');
    expect(toCreate({ ...newChannel(), type: '18', other: '' }).other).toBe('v2.1');
    expect(toCreate({ ...newChannel(), weight: '-4' }).weight).toBe(0);
  });

  it('joins the lines of a single key and keeps those of a batch', () => {
    expect(toCreate({ ...newChannel(), key: 'a\nb\n' }).key).toBe('ab');
    expect(toCreate({ ...newChannel(), key: 'a\nb\n', batch: true }).key).toBe('a\nb');
    expect(countKeys('a\n\n b \n')).toBe(2);
  });

  it('sends only what changed, and a key only when one was typed', () => {
    const form = formOf(channel);
    expect(toUpdate(form, form, 4)).toEqual({ id: 4 });
    expect(toUpdate({ ...form, models: ['a'], tag: 'x', key: ' new ' }, form, 4)).toEqual({
      ...{ id: 4, models: 'a', tag: 'x', key: 'new' },
      expected: { models: channel.models, tag: '' },
    });
  });

  it('clears the address for a type that has none, but only when the type was chosen', () => {
    const seen = formOf({ ...channel, type: 1, other: '', base_url: 'https://old.example' });
    expect(toCreate({ ...newChannel(), type: '45', base_url: 'https://old.example' }).base_url).toBe('');
    expect(toUpdate({ ...seen, type: '45' }, seen, 4)).toEqual({
      ...{ id: 4, type: 45, base_url: '' },
      expected: { type: 1, base_url: 'https://old.example' },
    });
    const old = { ...seen, type: '45' };
    expect(toUpdate({ ...old, tag: 'x' }, old, 4)).toEqual({ id: 4, tag: 'x', expected: { tag: '' } });
    expect(toCreate(old, old).base_url).toBe('https://old.example');
    expect(toCreate(old, seen).base_url).toBe('');
    expect(toUpdate({ ...old, type: '1', base_url: '' }, old, 4)).toMatchObject({
      expected: { type: 45, base_url: 'https://old.example' },
    });
  });

  it('sends no value of a field that the chosen type hides', () => {
    const typed = { ...newChannel(), other: 'v2.1', openai_organization: 'org-1' };
    expect(toCreate(typed)).toMatchObject({ type: 1, other: '', openai_organization: 'org-1' });
    expect(toCreate({ ...typed, type: '18' })).toMatchObject({ other: 'v2.1', openai_organization: '' });
    const seen = formOf(channel);
    expect(toUpdate({ ...seen, type: '1' }, seen, 4)).toEqual({
      ...{ id: 4, type: 1, other: '' },
      expected: { type: 18, other: 'v2.1' },
    });
    const hidden = formOf({ ...channel, type: 1 });
    expect(toUpdate({ ...hidden, tag: 'x' }, hidden, 4)).toEqual({ id: 4, tag: 'x', expected: { tag: '' } });
  });

  it('adds typed names once', () => {
    expect(addNames(['a'], 'b, a,\uff0cc,b')).toEqual({ models: ['a', 'b', 'c'], repeated: ['a'] });
  });
});
