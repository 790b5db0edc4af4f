import type { RoutedChannel } from '@tollgate/contracts';
import { contentMask } from '@tollgate/providers';
import { secretsOfChannel } from '../upstream/channel-target.js';

/** Masks the channel's secrets in a refusal, which is passed on to the client and may repeat our key or its address. */
export const withoutSecrets = (bytes: Buffer, channel: RoutedChannel): Buffer =>
  Buffer.from(contentMask(secretsOfChannel(channel))(bytes.toString('utf8')));
