import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setUpSite, type Site } from '@tollgate/testing';
import { describeJourney } from '../support/journey.js';
import { ContainerPlatform } from './platform.js';
import { buildImages, missingForContainers, PodmanSocket } from './podman.js';

const missing = missingForContainers();
if (missing && process.env.CI === 'true') throw new Error(`No containers for the tests: ${missing}.`);
if (missing) process.stderr.write(`SKIPPED: what needs containers: ${missing}\n`);

/** Tries to lock the first three spool folders like a relay, in a process of its own. */
const TRY_LOCKS = `
  const { DatabaseSync } = require('node:sqlite');
  const outcome = (number) => {
    const database = new DatabaseSync('/data/spool/' + number + '.lock');
    try {
      database.exec('pragma journal_mode = memory; begin exclusive');
      return 'free';
    } catch (error) {
      return error.errcode % 256 === 5 ? 'locked' : String(error);
    } finally {
      database.close();
    }
  };
  console.log([0, 1, 2].map(outcome).join());`;

(missing ? describe.skip : describe)('the platform of deploy/compose.yaml', () => {
  let socket: PodmanSocket;
  let platform: ContainerPlatform;
  let site: Site;

  beforeAll(async () => {
    await buildImages();
    socket = await PodmanSocket.open();
    platform = new ContainerPlatform(ContainerPlatform.host);
    await platform.start();
    const token = /set-up token: (\S+)/.exec(await platform.logOf('identity'))?.[1];
    site = await setUpSite(platform.url, token);
  }, 2_400_000);
  afterAll(async () => {
    await platform?.stop();
    socket?.close();
  }, 300_000);

  describeJourney(
    'in containers',
    () => Promise.resolve({ testBed: site, close: () => Promise.resolve() }),
    ContainerPlatform.host,
  );

  it('takes the client address from the balancer only', async () => {
    const status = async (address: string, headers = {}): Promise<number> => {
      const key = await site.token(site.root, { name: address, allow_ips: address });
      return (await fetch(`${platform.url}/v1/models`, { headers: { authorization: `Bearer ${key}`, ...headers } }))
        .status;
    };
    expect(await status(ContainerPlatform.client)).toBe(200);
    expect(await status('203.0.113.7', { 'x-forwarded-for': '203.0.113.7' })).toBe(403);
  });

  it('gives two relays on one volume separate spools', async () => {
    await platform.startTwin('relay-1', 'relay-3');
    // The first lock belongs to the old relay, the second to the new one, and both are visible from either container.
    for (const relay of ['relay-1', 'relay-3'])
      expect([relay, await platform.run(relay, 'node', '-e', TRY_LOCKS)]).toEqual([relay, 'locked,locked,free']);
  }, 240_000);
});
