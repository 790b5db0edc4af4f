import { Injectable } from '@nestjs/common';
import { SecretBox } from '@tollgate/platform';
import type { Channel } from './channel.entity.js';

const PURPOSE = 'channel-key';

/** The only place that seals and opens upstream keys. */
@Injectable()
export class ChannelKeys {
  constructor(private readonly secrets: SecretBox) {}

  seal(key: string): string {
    return this.secrets.encrypt(PURPOSE, key);
  }

  /** Throws when the key was sealed with another secret. */
  open(channel: Pick<Channel, 'sealedKey'>): string {
    return this.secrets.decrypt(PURPOSE, channel.sealedKey);
  }
}
