import type { GlobalServers } from './global-setup.js';

export default async function globalTeardown(): Promise<void> {
  await (globalThis as GlobalServers).tollgateTestServer?.stop();
}
