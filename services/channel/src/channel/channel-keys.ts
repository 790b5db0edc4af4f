import { Injectable } from '@nestjs/common';
import { type SealedColumn, SecretBox } from '@tollgate/chassis';
import { ChannelStatus, pastedText } from '@tollgate/contracts';
import type { Channel, SetAside } from './channel.entity.js';

const PURPOSE = 'channel-key';
/** A label of its own: whoever reads the hashes learns nothing that opens a key. */
const SEARCH_PURPOSE = 'channel-key-search';
/** Lines of one key that can be found; nobody enters more. */
const MAX_LINES = 1000;

/** Characters of a key's hash that name it within its channel. */
const ID_LENGTH = 16;

/** One of the keys of a channel. */
export interface ChannelKey {
  /** Follows from the key; empty of a channel that has one. */
  id: string;
  key: string;
  away?: SetAside;
}

const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map(pastedText)
      .filter((line) => line !== ''),
  ),
];

type KeyStates = Channel['keyStates'];
type Sealed = Pick<Channel, 'sealedKey' | 'keyMode' | 'keyStates'>;

/** What is left of the states when all keys get another chance: what a person switched off stays off. */
export const retried = (states: KeyStates): KeyStates =>
  Object.fromEntries(Object.entries(states).filter(([, { status }]) => status === ChannelStatus.disabled));

/** Seconds until a key that was set aside is asked again; they double with each time in vain. */
const FIRST_LOOK = 60;
const LONGEST_PAUSE = 3600;

/** When a key that was set aside is asked again, after so many times in vain. */
export const nextLook = (probes: number, nowMs: number): Pick<SetAside, 'probeAt' | 'probes'> => ({
  probes,
  probeAt: Math.floor(nowMs / 1000) + Math.min(FIRST_LOOK * 2 ** Math.min(probes, 16), LONGEST_PAUSE),
});

/** A key that goes by itself, for that reason. */
export const awayByItself = (reason: string, nowMs: number): SetAside => ({
  ...{ status: ChannelStatus.autoDisabled, reason, at: Math.floor(nowMs / 1000) },
  ...nextLook(0, nowMs),
});

/** The only place that seals, opens and looks for upstream keys. */
@Injectable()
export class ChannelKeys {
  constructor(private readonly secrets: SecretBox) {}

  /** What is stored of a key: sealed, and by keyed hashes, so that it can be found by those who have it. */
  seal(key: string): Pick<Channel, 'sealedKey' | 'keyHashes'> {
    return { sealedKey: this.secrets.encrypt(PURPOSE, key), keyHashes: this.hashesOf(key) };
  }

  /** Another text in the place of all keys. What was said of keys that are still among them stays. */
  replace(channel: Sealed, text: string): Pick<Channel, 'sealedKey' | 'keyHashes' | 'keyStates'> {
    const away = new Map(channel.keyMode === '' ? [] : this.allIfReadable(channel).map((one) => [one.key, one.away]));
    const sealed = this.seal(text);
    const kept = channel.keyMode === '' ? [] : this.all({ ...channel, ...sealed, keyStates: {} });
    const states = kept.flatMap(({ id, key }) => {
      const state = away.get(key);
      return state ? [[id, state] as const] : [];
    });
    return { ...sealed, keyStates: Object.fromEntries(states) };
  }

  /** Throws when the key was sealed with another secret. */
  open(channel: Pick<Channel, 'sealedKey'>): string {
    return this.secrets.decrypt(PURPOSE, channel.sealedKey);
  }

  /** All of them in the order they were entered. Throws when they were sealed with another secret. */
  all(channel: Sealed): ChannelKey[] {
    const { text, keyId } = this.secrets.open(PURPOSE, channel.sealedKey);
    if (channel.keyMode === '') return [{ id: '', key: text }];
    return linesOf(text).map((key) => {
      // By the secret that the row is sealed with, whichever replica reads it.
      const id = this.secrets.hmac(SEARCH_PURPOSE, key, keyId).slice(0, ID_LENGTH);
      const away = channel.keyStates[id];
      return { id, key, ...(away && { away }) };
    });
  }

  /**
   * Those that get requests. Where none would, those that went off by themselves, and all of them where there are none of these either: a
   * channel that is on has to use something.
   */
  inUse(channel: Sealed): ChannelKey[] {
    const all = this.all(channel);
    const able = all.filter(({ away }) => !away);
    if (able.length > 0) return able;
    const failed = all.filter(({ away }) => away?.status === ChannelStatus.autoDisabled);
    return failed.length > 0 ? failed : all;
  }

  /** For a call of our own: the named one while it is there, else the first in use. */
  pick(channel: Sealed, id?: string): ChannelKey {
    const named = id === undefined ? undefined : this.named(this.all(channel), id);
    return named ?? this.inUse(channel)[0] ?? { id: '', key: '' };
  }

  /** The one of that id; whoever learned it before the row was sealed with another secret knows an older one. */
  named(all: readonly ChannelKey[], id: string): ChannelKey | undefined {
    return (
      all.find((one) => one.id === id) ??
      all.find(({ key }) => this.hashesFor(key).some((hash) => hash.slice(0, ID_LENGTH) === id))
    );
  }

  /** Hashes by which a key is searched for: one for each secret that is accepted. */
  hashesFor(key: string): string[] {
    return this.secrets.hmacs(SEARCH_PURPOSE, key.trim());
  }

  /** Nothing was said of keys that cannot be read. */
  private allIfReadable(channel: Sealed): ChannelKey[] {
    try {
      return this.all(channel);
    } catch {
      return [];
    }
  }

  /** Finds a whole key, never a part of one. */
  private hash(key: string): string {
    return this.secrets.hmac(SEARCH_PURPOSE, key.trim());
  }

  /** Hashes of the whole text and of each line, since several keys may be entered as one; a JSON document is one key. */
  hashesOf(key: string): string[] {
    const lines = key.trim().startsWith('{') ? [] : key.split('\n').slice(0, MAX_LINES);
    const texts = [key, ...lines].map((text) => text.trim()).filter((text) => text !== '');
    return [...new Set(texts)].map((text) => this.hash(text));
  }
}

export const sealedChannelKeys: SealedColumn = {
  ...{ table: 'channel', id: 'id', column: 'sealed_key', where: `"sealed_key" <> ''` },
  reads: ['key_mode', 'key_states'],
  reseal: (row, secrets) => {
    const keys = new ChannelKeys(secrets);
    const { sealed_key: sealedKey, key_mode: keyMode, key_states: keyStates } = row as unknown as StoredKeys;
    const sealed = keys.replace({ sealedKey, keyMode, keyStates }, keys.open({ sealedKey }));
    return { sealed_key: sealed.sealedKey, key_hashes: sealed.keyHashes, key_states: sealed.keyStates };
  },
};

interface StoredKeys {
  sealed_key: string;
  key_mode: Channel['keyMode'];
  key_states: KeyStates;
}
