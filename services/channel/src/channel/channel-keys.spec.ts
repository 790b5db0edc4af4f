import { describe, expect, it } from '@jest/globals';
import { SecretBox } from '@tollgate/chassis';
import { ChannelStatus } from '@tollgate/contracts';
import type { SetAside } from './channel.entity.js';
import { ChannelKeys, retried, sealedChannelKeys } from './channel-keys.js';

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
  it('get no requests while they are set aside', () => {
    expect(inUse({ [leaked]: byPerson, [refused]: byItself })).toEqual(['fine']);
  });

  it('are used again when all are off, except keys that a person switched off', () => {
    expect(inUse({ [leaked]: byPerson, [refused]: byItself, [fine]: byItself })).toEqual(['refused', 'fine']);
    expect(keys.pick(channelOf({ [leaked]: byPerson, [refused]: byItself, [fine]: byItself })).key).toBe('refused');
  });

  it('are all used when a person switched every one off, because an enabled channel must use some key', () => {
    expect(inUse({ [leaked]: byPerson, [refused]: byPerson, [fine]: byPerson })).toEqual(['leaked', 'refused', 'fine']);
  });

  describe('while the secret key of the installation is replaced', () => {
    const [OLD, NEW] = [
      'the secret before, which is long enough',
      'the secret after, which is long enough too',
    ] as const;
    const announced = new ChannelKeys(new SecretBox(OLD, { next: NEW }));
    const swapping = new SecretBox(NEW, { previous: OLD });
    const swapped = new ChannelKeys(swapping);
    const row = { ...announced.seal('one\ntwo'), keyMode: 'random' as const, keyStates: {} };
    const [one] = announced.all(row);
    const states = { [one?.id ?? '']: byPerson };

    it('have the same id under the old and the new secret key', () => {
      expect(swapped.all({ ...row, keyStates: states })).toEqual(announced.all({ ...row, keyStates: states }));
    });

    it('stay set aside when they are encrypted again, and are found by their former id', () => {
      const anew = sealedChannelKeys.reseal(
        { sealed_key: row.sealedKey, key_mode: 'random', key_states: states },
        swapping,
      ) as { sealed_key: string; key_hashes: string[]; key_states: Record<string, SetAside> };
      const channel = { sealedKey: anew.sealed_key, keyMode: 'random' as const, keyStates: anew.key_states };
      const all = new ChannelKeys(new SecretBox(NEW)).all(channel);
      expect(all.map(({ key, away }) => [key, away])).toEqual([
        ['one', byPerson],
        ['two', undefined],
      ]);
      expect(all[0]?.id).not.toBe(one?.id);
      expect(announced.all(channel)).toEqual(all);
      expect(swapped.named(all, one?.id ?? '')?.key).toBe('one');
      expect(anew.key_hashes).toContain(swapped.hashesFor('two')[0]);
    });

    it('keep their state when the list of keys is entered again', () => {
      const replaced = swapped.replace({ ...row, keyStates: states }, 'two\none\nthree');
      expect(swapped.all({ ...replaced, keyMode: 'random' }).map(({ key, away }) => [key, away])).toEqual([
        ['two', undefined],
        ['one', byPerson],
        ['three', undefined],
      ]);
    });
  });

  it('are reset to enabled, except keys that a person switched off', () => {
    expect(retried({ [leaked]: byPerson, [refused]: byItself })).toEqual({ [leaked]: byPerson });
  });
});
