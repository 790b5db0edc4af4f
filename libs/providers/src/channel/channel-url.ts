import { ChannelUnusable } from '../adapter.js';

/**
 * Parses the address of a call to a channel. Throws `ChannelUnusable` for an invalid one, e.g. without a scheme; that is not held against
 * the key.
 */
export function channelUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (!parsed)
    throw new ChannelUnusable('channel:invalid_address', 'the address of the channel cannot be called', 'network');
  return parsed;
}
