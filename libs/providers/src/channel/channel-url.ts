import { ChannelUnusable } from '../adapter.js';

/** A channel's address with the path of a call. Throws `ChannelUnusable` for one that is none, such as one without a scheme: the key may be good. */
export function channelUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (!parsed)
    throw new ChannelUnusable('channel:invalid_address', 'the address of the channel cannot be called', 'network');
  return parsed;
}
