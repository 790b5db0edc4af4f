import type { RoutedChannel } from '@tollgate/contracts';
import { codedForms, withoutCoded } from '@tollgate/providers';
import { secretsOfChannel } from '../upstream/channel-target.js';

/** Shorter ones would be found in ordinary words. */
const SHORTEST_SECRET = 8;

/** A refusal goes to the client in the upstream's own words, and they may repeat our key or its address. */
export function withoutSecrets(bytes: Buffer, channel: RoutedChannel): Buffer {
  const secrets = secretsOfChannel(channel).filter(({ length }) => length >= SHORTEST_SECRET);
  const told = secrets.flatMap(codedForms).reduce(withoutCoded, bytes.toString('utf8'));
  return Buffer.from(secrets.reduce((text, secret) => text.replaceAll(secret, '***'), told));
}
