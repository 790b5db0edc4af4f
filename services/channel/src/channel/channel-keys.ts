import { Injectable } from '@nestjs/common';
import { SecretBox } from '@tollgate/chassis';
import type { Channel } from './channel.entity.js';

const PURPOSE = 'channel-key';
/** A label of its own: whoever reads the hashes learns nothing that opens a key. */
const SEARCH_PURPOSE = 'channel-key-search';
/** Lines of one key that can be found; nobody enters more. */
const MAX_LINES = 1000;

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
