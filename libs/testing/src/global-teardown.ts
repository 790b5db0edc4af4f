import type { GlobalServers } from './global-setup.js';

export default async function globalTeardown(): Promise<void> {
  const { tollgateTestKafka, tollgateTestServer } = globalThis as GlobalServers;
  await tollgateTestKafka?.stop();
  await tollgateTestServer?.stop();
}
