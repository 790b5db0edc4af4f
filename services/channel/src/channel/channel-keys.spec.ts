import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '@tollgate/chassis';
import { ChannelStatus } from '@tollgate/contracts';
import type { SetAside } from './channel.entity.js';
import { ChannelKeys, retried } from './channel-keys.js';

const keys = new ChannelKeys(new SecretBox('a secret of the tests that is long enough'));
const sealed = keys.seal('leaked\nrefused\nfine');
const channelOf = (keyStates: Readonly<Record<string, SetAside>>) => ({
  ...sealed,
  keyMode: 'polling' as const,
  keyStates,
});
const [leaked = '', refused = '', fine = ''] = keys.all(channelOf({})).map(({ id }) => id);
const byPerson: SetAside = { status: ChannelStatus.disabled, reason: '', at: 1 };
const byItself: SetAside = { status: ChannelStatus.autoDisabled, reason: 'refused', at: 2 };

const inUse = (states: Readonly<Record<string, SetAside>>): string[] =>
  keys.inUse(channelOf(states)).map(({ key }) => key);

describe('keys of a channel', () => {
  it('that are set aside get no requests', () => {
    expect(inUse({ [leaked]: byPerson, [refused]: byItself })).toEqual(['fine']);
  });

  it('are asked again where all went off, but not those that a person switched off', () => {
    expect(inUse({ [leaked]: byPerson, [refused]: byItself, [fine]: byItself })).toEqual(['refused', 'fine']);
    expect(keys.pick(channelOf({ [leaked]: byPerson, [refused]: byItself, [fine]: byItself })).key).toBe('refused');
  });

  it('are all in use where a person switched every one of them off: a channel that is on uses something', () => {
    expect(inUse({ [leaked]: byPerson, [refused]: byPerson, [fine]: byPerson })).toEqual(['leaked', 'refused', 'fine']);
  });

  it('get another chance but those that a person switched off', () => {
    expect(retried({ [leaked]: byPerson, [refused]: byItself })).toEqual({ [leaked]: byPerson });
  });
});
