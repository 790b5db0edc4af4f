import { describe, expect, it } from '@jest/globals';
import { createChannelSchema } from '@tollgate/contracts/api/channel';
import { describeChange, describeChannel } from './channel-audit.js';
import { newFieldsOf } from './channel-fields.js';

const state = {
  ...newFieldsOf(createChannelSchema.parse({ name: 'a', key: 'sk-1', type: 1, models: 'm' })),
  status: 1,
};

describe('audit entries of channels', () => {
  it('name only what differs, by its wire name', () => {
    expect(describeChange(state, { ...state, organization: 'org', models: ['m', 'n'], status: 2 })).toEqual({
      before: { openai_organization: '', models: ['m'], status: 1 },
      after: { openai_organization: 'org', models: ['m', 'n'], status: 2 },
    });
  });

  it('mention free JSON and keys without their content', () => {
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
