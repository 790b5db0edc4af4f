import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import {
  type HostileEndpoint,
  type HostileUpstream,
  scenarios,
  type TestBed,
  startHostileUpstream,
  startTestBed,
} from '@tollgate/testing';
import { ask, logRows, read } from '../support/relay-site.js';

const MB = 1024 * 1024;
/** The smallest allowed value; one user gets half of it, and a byte counts twice. */
const REPLIES_MB = 256;
const LARGE = 40 * MB;
const CALLS = 6;

describe('whole replies', () => {
  let testBed: TestBed;
  let hostile: HostileUpstream;
  let endpoint: HostileEndpoint;
  let key: string;

  beforeAll(async () => {
    hostile = await startHostileUpstream();
    endpoint = hostile.endpoint(scenarios.speak());
    testBed = await startTestBed(allServices, { TOLLGATE_REPLIES_MB: String(REPLIES_MB) });
    await testBed.channel({ name: 'large', base_url: endpoint.url, models: 'gpt-4o' });
    key = await testBed.token(await testBed.user('reader', 1_000_000_000));
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await hostile?.close();
  });

  const call = (): Promise<Response> => ask(testBed.url, { dialect: 'openai', key, prompt: 'hi' });

  it('share a memory limit; calls above it are refused with Retry-After', async () => {
    endpoint.play(scenarios.sprawl(LARGE));
    const replies = await Promise.all(Array.from({ length: CALLS }, call));
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const reply of refused) {
      const { status, retryAfter, error } = await read(reply, 'openai');
      expect([status, retryAfter, error?.code]).toEqual([503, '1', 'too_many_bytes_in_flight']);
    }
    for (const reply of replies) if (!reply.bodyUsed) await reply.arrayBuffer();
    const failed = (await logRows(testBed)).filter(({ other }) => other.outcome === 'failed');
    expect(failed.every(({ quota }) => quota === 0)).toBe(true);
    // Released memory is available for the next call.
    expect((await read(await call(), 'openai')).status).toBe(200);
  }, 60_000);
});
