import { findChannelType, keyTextFault } from '@tollgate/contracts';
import { type ChannelTarget, ChannelUnusable } from '../adapter.js';

/** Code of a `ChannelUnusable`: the key does not have the form of its type, or contains characters that cannot be sent. */
export const INVALID_KEY = 'channel:invalid_key';

/** Throws `ChannelUnusable` for a key with characters that HTTP clients refuse to send; such keys were saved before they were checked. */
export function checkSendable({ channelType, key }: Pick<ChannelTarget, 'channelType' | 'key'>): void {
  if (keyTextFault(key, findChannelType(channelType)?.keyIsJson === true) === undefined) return;
  throw new ChannelUnusable(
    INVALID_KEY,
    'the key of the channel cannot be sent: it has characters that no header takes, or too many',
  );
}
