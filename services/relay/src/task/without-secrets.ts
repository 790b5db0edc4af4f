import type { RoutedChannel } from '@tollgate/contracts';
import { codedForms, withoutCoded } from '@tollgate/providers';
import { secretsOfChannel } from '../upstream/channel-target.js';

/** Shorter secrets would also match parts of ordinary words. */
const SHORTEST_SECRET = 8;

/** Masks the channel's secrets in a refusal, which is passed on to the client and may repeat our key or its address. */
export function withoutSecrets(bytes: Buffer, channel: RoutedChannel): Buffer {
  const secrets = secretsOfChannel(channel).filter(({ length }) => length >= SHORTEST_SECRET);
  const masked = secrets.flatMap(codedForms).reduce(withoutCoded, bytes.toString('utf8'));
  return Buffer.from(secrets.reduce((text, secret) => text.replaceAll(secret, '***'), masked));
}
