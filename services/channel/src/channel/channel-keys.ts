import { Injectable } from '@nestjs/common';
import { AppError, type SealedColumn, SecretBox } from '@tollgate/chassis';
import { ChannelStatus, pastedText } from '@tollgate/contracts';
import type { Channel, SetAside } from './channel.entity.js';

const PURPOSE = 'channel-key';
/** A purpose of its own, so that the hashes reveal nothing about the encryption. */
const SEARCH_PURPOSE = 'channel-key-search';
/** Maximum of lines of a key that can be searched for; far more than anybody enters. */
const MAX_LINES = 1000;

/** Number of characters of a key's hash that are used as its id within the channel. */
const ID_LENGTH = 16;

export interface ChannelKey {
  /** Derived from the key; empty if the channel has a single key. */
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

/** Removes the states of keys that were set aside automatically; keys that a person switched off stay off. */
export const retried = (states: KeyStates): KeyStates =>
  Object.fromEntries(Object.entries(states).filter(([, { status }]) => status === ChannelStatus.disabled));

/** In seconds: the pauses before the probes of a key or channel that is off, by the number of failed probes. */
export const PAUSES = [60, 120, 240, 480, 960, 1920] as const;
export const FIRST_LOOK = PAUSES[0];
/** The pause after more failed probes. */
export const LONGEST_PAUSE = 3600;

/** When to probe a key that was set aside, after this many failed probes. */
export const nextLook = (probes: number, nowMs: number): Pick<SetAside, 'probeAt' | 'probes'> => ({
  probes,
  probeAt: Math.floor(nowMs / 1000) + (PAUSES[probes] ?? LONGEST_PAUSE),
});

/** The state of a key that is set aside automatically, for the given reason. */
export const awayByItself = (reason: string, nowMs: number): SetAside => ({
  ...{ status: ChannelStatus.autoDisabled, reason, at: Math.floor(nowMs / 1000) },
  ...nextLook(0, nowMs),
});

/** The only class that encrypts, decrypts and searches for upstream keys. */
@Injectable()
export class ChannelKeys {
  constructor(private readonly secrets: SecretBox) {}

  /** The stored form of a key: encrypted, plus keyed hashes by which somebody who has the key can find the channel. */
  seal(key: string): Pick<Channel, 'sealedKey' | 'keyHashes'> {
    return { sealedKey: this.secrets.encrypt(PURPOSE, key), keyHashes: this.hashesOf(key) };
  }

  /** Replaces all keys. Keys that are also in the new text keep their state. */
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

  /** Throws `channel-key-unreadable` when the key was encrypted with another secret key. */
  open(channel: Pick<Channel, 'sealedKey'>): string {
    return this.unsealed(channel).text;
  }

  /** All keys in the order in which they were entered. Throws as `open` does. */
  all(channel: Sealed): ChannelKey[] {
    const { text, keyId } = this.unsealed(channel);
    if (channel.keyMode === '') return [{ id: '', key: text }];
    return linesOf(text).map((key) => {
      // Uses the secret key with which the row is encrypted, so that every replica gets the same id.
      const id = this.secrets.hmac(SEARCH_PURPOSE, key, keyId).slice(0, ID_LENGTH);
      const away = channel.keyStates[id];
      return { id, key, ...(away && { away }) };
    });
  }

  /**
   * The keys that requests use. If none is left, those that were set aside automatically, and if there are none of
   * these, all keys: an enabled channel needs a key.
   */
  inUse(channel: Sealed): ChannelKey[] {
    const all = this.all(channel);
    const able = all.filter(({ away }) => !away);
    if (able.length > 0) return able;
    const failed = all.filter(({ away }) => away?.status === ChannelStatus.autoDisabled);
    return failed.length > 0 ? failed : all;
  }

  /** The key for a call of our own: the named one if it still exists, otherwise the first one in use. */
  pick(channel: Sealed, id?: string): ChannelKey {
    const named = id === undefined ? undefined : this.named(this.all(channel), id);
    return named ?? this.inUse(channel)[0] ?? { id: '', key: '' };
  }

  /** The key with this id. Also matches an id derived before the row was encrypted with another secret key. */
  named(all: readonly ChannelKey[], id: string): ChannelKey | undefined {
    return (
      all.find((one) => one.id === id) ??
      all.find(({ key }) => this.hashesFor(key).some((hash) => hash.slice(0, ID_LENGTH) === id))
    );
  }

  /** The hashes to search a key by: one per accepted secret key. */
  hashesFor(key: string): string[] {
    return this.secrets.hmacs(SEARCH_PURPOSE, key.trim());
  }

  private unsealed({ sealedKey }: Pick<Channel, 'sealedKey'>): ReturnType<SecretBox['open']> {
    try {
      return this.secrets.open(PURPOSE, sealedKey);
    } catch (cause) {
      const text = '渠道密钥无法解密，因为它是用另一个 TOLLGATE_SECRET_KEY 加密的，请重新填写密钥';
      throw new AppError('conflict', 'channel-key-unreadable', text, { cause });
    }
  }

  /** Keys that cannot be decrypted have no state to keep. */
  private allIfReadable(channel: Sealed): ChannelKey[] {
    try {
      return this.all(channel);
    } catch {
      return [];
    }
  }

  /** The hash matches a whole key only, never a part of one. */
  private hash(key: string): string {
    return this.secrets.hmac(SEARCH_PURPOSE, key.trim());
  }

  /**
   * Hashes of the whole text and of each line, since several keys may be entered as one text. A JSON document is one
   * key.
   */
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
    const sealed = keys.replace({ sealedKey, keyMode, keyStates }, secrets.decrypt(PURPOSE, sealedKey));
    return { sealed_key: sealed.sealedKey, key_hashes: sealed.keyHashes, key_states: sealed.keyStates };
  },
};

interface StoredKeys {
  sealed_key: string;
  key_mode: Channel['keyMode'];
  key_states: KeyStates;
}
