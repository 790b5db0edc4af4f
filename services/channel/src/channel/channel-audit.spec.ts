import { describe, expect, it } from '@jest/globals';
import { createChannelSchema } from '@tollgate/contracts/api/channel';
import { changedSince, describeChange, describeChannel, namedChannels } from './channel-audit.js';
import { newFieldsOf } from './channel-fields.js';

const state = {
  ...newFieldsOf(createChannelSchema.parse({ name: 'a', key: 'sk-1', type: 1, models: 'm' })),
  status: 1,
};

describe('audit entries of channels', () => {
  it('contain only changed fields, by their wire names', () => {
    expect(describeChange(state, { ...state, organization: 'org', models: ['m', 'n'], status: 2 })).toEqual({
      before: { openai_organization: '', models: ['m'], status: 1 },
      after: { openai_organization: 'org', models: ['m', 'n'], status: 2 },
    });
  });

  it('allow to find the fields that changed since the entry', () => {
    const after = { ...state, models: ['m', 'n'], weight: 5, setting: '{"a":1}' };
    const change = describeChange(state, { ...after, setting: '' });
    expect([changedSince(after, change.after), changedSince({ ...after, weight: 6 }, change.after)]).toEqual([
      [],
      ['weight'],
    ]);
    // Fields that an entry masks or that no channel has never equal the state.
    expect(changedSince(after, { setting: '*** (changed)', none: 1 })).toEqual(['setting', 'none']);
  });

  it('name as many channels as fit, and count all', () => {
    const many = Array.from({ length: 150 }, (_, id) => ({ id, status: 1 }));
    expect(namedChannels(many)).toEqual({ channels: many.slice(0, 100), count: 150 });
    const long = many.map(({ id }) => ({ id, models: ['m'.repeat(10_000)] }));
    expect(namedChannels(long)).toEqual({ channels: long.slice(0, 3), count: 150 });
    const endless = [{ id: 1, models: ['m'.repeat(40_000)] }, { id: 2 }];
    expect(namedChannels(endless)).toEqual({ channels: endless.slice(0, 1), count: 2 });
  });

  it('can be compared with the fields of a reply, too', () => {
    const now = { ...state, models: ['m', 'n'], autoBan: true, setting: '{"a":1}' };
    const seen = { models: 'm,n', auto_ban: 1, setting: '{"a":1}', tag: '', status: 1 };
    expect(changedSince(now, seen)).toEqual([]);
    expect(changedSince({ ...now, models: ['m'], autoBan: false, setting: '' }, seen)).toEqual([
      'models',
      'auto_ban',
      'setting',
    ]);
  });

  it('mention JSON fields and keys without their content', () => {
    const after = { ...state, setting: '{"proxy":"socks5://u:secret@h:1"}', paramOverride: '{"api_key":"secret"}' };
    const texts = JSON.stringify([
      describeChange(state, after, true),
      describeChange(after, state),
      describeChannel(after),
    ]);
    expect(texts).not.toContain('secret');
    expect(describeChange(state, after, true).after).toEqual({
      setting: '*** (changed)',
      param_override: '*** (changed)',
      key: '*** (changed)',
    });
  });
});
