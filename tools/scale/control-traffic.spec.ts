import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { controlTraffic, type Installation, PERIODS_MS } from './control-traffic.js';

const four: Installation = {
  relays: 4,
  gateways: 2,
  identities: 2,
  billings: 2,
  channels: 2,
  loggings: 2,
  requestsPerSecond: 2000,
  activeFunds: 10,
};
/** Reads the value of a numeric constant from the source code. */
function constantOf(file: string, name: string): number {
  const text = readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8');
  return Number(new RegExp(`^const ${name} = ([\\d_]+);`, 'm').exec(text)?.[1]?.replaceAll('_', ''));
}

describe('the traffic of a control plane', () => {
  it('grows with the number of relays, not of requests', () => {
    const twice = controlTraffic({ ...four, requestsPerSecond: 4000 });
    expect(twice.words).toBe(controlTraffic(four).words);
    expect(controlTraffic({ ...four, relays: 8 }).pollsWithoutRedis).toBe(2 * controlTraffic(four).pollsWithoutRedis);
    expect(controlTraffic(four)).toMatchObject({
      words: 42,
      pollsWithoutRedis: 20,
      heartbeats: 0.8,
      deliveriesPerChange: 14,
    });
  });

  it('has more lease calls when requests spread over more wallets, up to the batch rate', () => {
    const busy = controlTraffic(four).grants;
    expect(busy).toBeCloseTo(2000 / 32, 5);
    expect(controlTraffic({ ...four, activeFunds: 10_000 }).grants).toBe(2000);
    expect(controlTraffic({ ...four, activeFunds: 10_000, requestsPerSecond: 1e6 }).grants).toBe(4 * 500);
  });

  it('is computed with the periods in the code', () => {
    const leases = 'services/relay/src/budget/leases.ts';
    expect({
      word: constantOf('libs/chassis/src/service/revisions.ts', 'EVERY_MS'),
      heartbeat: constantOf(leases, 'HEARTBEAT_MS'),
      idle: constantOf(leases, 'IDLE_MS'),
      probe: constantOf('libs/chassis/src/http/service-directory.ts', 'PROBE_MS'),
    }).toEqual(PERIODS_MS);
  });
});
