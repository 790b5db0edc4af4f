import { Injectable } from '@nestjs/common';
import { SecretBox } from '@tollgate/chassis';
import { ChannelStatus } from '@tollgate/contracts';
import type { Channel, SetAside } from './channel.entity.js';

const PURPOSE = 'channel-key';
/** A label of its own: whoever reads the hashes learns nothing that opens a key. */
const SEARCH_PURPOSE = 'channel-key-search';
/** Lines of one key that can be found; nobody enters more. */
const MAX_LINES = 1000;

/** Of the hash of a key so much names it within its channel. */
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
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

type KeyStates = Channel['keyStates'];

/** What is left of the states when all keys get another chance: what a person switched off stays off. */
export const retried = (states: KeyStates): KeyStates =>
  Object.fromEntries(Object.entries(states).filter(([, { status }]) => status === ChannelStatus.disabled));

/** The only place that seals, opens and looks for upstream keys. */
@Injectable()
export class ChannelKeys {
  constructor(private readonly secrets: SecretBox) {}

  /** What is stored of a key: sealed, and by keyed hashes, so that it can be found by those who have it. */
  seal(key: string): Pick<Channel, 'sealedKey' | 'keyHashes'> {
    return { sealedKey: this.secrets.encrypt(PURPOSE, key), keyHashes: this.hashesOf(key) };
  }

  /** Throws when the key was sealed with another secret. */
  open(channel: Pick<Channel, 'sealedKey'>): string {
    return this.secrets.decrypt(PURPOSE, channel.sealedKey);
  }

  /** All of them in the order they were entered. Throws when they were sealed with another secret. */
  all(channel: Pick<Channel, 'sealedKey' | 'keyMode' | 'keyStates'>): ChannelKey[] {
    const text = this.open(channel);
    if (channel.keyMode === '') return [{ id: '', key: text }];
    return linesOf(text).map((key) => {
      const id = this.hash(key).slice(0, ID_LENGTH);
      const away = channel.keyStates[id];
      return { id, key, ...(away && { away }) };
    });
  }

  /**
   * Those that get requests. Where none would, those that went off by themselves, and all of them where there are none of these either: a
   * channel that is on has to use something.
   */
  inUse(channel: Pick<Channel, 'sealedKey' | 'keyMode' | 'keyStates'>): ChannelKey[] {
    const all = this.all(channel);
    const able = all.filter(({ away }) => !away);
    if (able.length > 0) return able;
    const failed = all.filter(({ away }) => away?.status === ChannelStatus.autoDisabled);
    return failed.length > 0 ? failed : all;
  }

  /** For a call of our own: the named one while it is there, else the first in use. */
  pick(channel: Pick<Channel, 'sealedKey' | 'keyMode' | 'keyStates'>, id?: string): ChannelKey {
    const named = id === undefined ? undefined : this.all(channel).find((one) => one.id === id);
    return named ?? this.inUse(channel)[0] ?? { id: '', key: '' };
  }

  /** Finds a whole key, never a part of one. */
  hash(key: string): string {
    return this.secrets.hmac(SEARCH_PURPOSE, key.trim());
  }

  /** Of the whole and of each line, since several keys may be entered as one; a JSON document is one key. */
  hashesOf(key: string): string[] {
    const lines = key.trim().startsWith('{') ? [] : key.split('\n').slice(0, MAX_LINES);
    const texts = [key, ...lines].map((text) => text.trim()).filter((text) => text !== '');
    return [...new Set(texts)].map((text) => this.hash(text));
  }
}
