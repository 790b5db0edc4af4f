import { findChannelType, keyTextFault } from '@tollgate/contracts';
import { type ChannelTarget, ChannelUnusable } from '../adapter.js';

/** Code of a `ChannelUnusable`: the key has not the form of its type, or none that can be sent. */
export const INVALID_KEY = 'channel:invalid_key';

/** Throws `ChannelUnusable` for a key that was saved before its characters were checked, and that no HTTP client would send. */
export function checkSendable({ channelType, key }: Pick<ChannelTarget, 'channelType' | 'key'>): void {
  if (keyTextFault(key, findChannelType(channelType)?.keyIsJson === true) === undefined) return;
  throw new ChannelUnusable(
    INVALID_KEY,
    'the key of the channel cannot be sent: it has characters that no header takes, or too many',
  );
}
