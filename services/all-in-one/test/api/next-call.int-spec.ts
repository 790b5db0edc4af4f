import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { allServices } from '@tollgate/all-in-one';
import { type FakeUpstream, type Person, type TestBed, startFakeUpstream, startTestBed } from '@tollgate/testing';
import { plain } from './support.js';

/** Cheap changes are repeated, to find a call that arrives before every copy has been updated. */
const TIMES = 3;

/** A change must be in effect in the very next model call, without waiting. */
describe('the next model call after a change', () => {
  let testBed: TestBed;
  let upstream: FakeUpstream;
  let user: Person;
  let key: string;
  let tokenId: number;
  let channelId: number;

  beforeAll(async () => {
    upstream = await startFakeUpstream();
    testBed = await startTestBed(allServices);
    channelId = await testBed.channel({ type: 1, base_url: upstream.url, models: 'gpt-4o-mini' });
    user = await testBed.user('caller', 1_000_000_000);
    key = await testBed.token(user);
    const [token] = await user.data<{ id: number }[]>('GET', '/api/token/');
    tokenId = token!.id;
  }, 120_000);
  afterAll(async () => {
    await testBed?.close();
    await upstream?.close();
  });
  beforeEach(() => upstream.reset());

  async function status(): Promise<number> {
    const reply = await plain(testBed, 'POST', '/v1/chat/completions', {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
    });
    return reply.status;
  }

  /** The statuses of the calls right after each change, and right after it was undone. */
  async function alternate(change: () => Promise<unknown>, takeBack: () => Promise<unknown>): Promise<number[][]> {
    const seen: number[][] = [];
    for (let time = 0; time < TIMES; time += 1) {
      await change();
      const changed = await status();
      await takeBack();
      seen.push([changed, await status()]);
    }
    return seen;
  }
  const times = (changed: number, before = 200): number[][] => Array.from({ length: TIMES }, () => [changed, before]);

  it('follows the disabling and enabling of a channel', async () => {
    const switchTo = (to: number): Promise<unknown> =>
      testBed.root.data('PUT', '/api/channel/', { id: channelId, status: to });
    expect(
      await alternate(
        () => switchTo(2),
        () => switchTo(1),
      ),
    ).toEqual(times(503));
  });

  it('follows the disabling and enabling of a token', async () => {
    const switchTo = (to: number): Promise<unknown> =>
      user.data('PUT', '/api/token/?status_only=true', { id: tokenId, status: to });
    expect(
      await alternate(
        () => switchTo(2),
        () => switchTo(1),
      ),
    ).toEqual(times(401));
  });

  it('follows a new limit of models on a token', async () => {
    const limit = (isLimited: boolean): Promise<unknown> =>
      user.data('PUT', '/api/token/', { id: tokenId, model_limits_enabled: isLimited, model_limits: 'gpt-4o' });
    expect(
      await alternate(
        () => limit(true),
        () => limit(false),
      ),
    ).toEqual(times(403));
  });

  it('follows the ban of a user and its end', async () => {
    const manage = (action: string): Promise<unknown> =>
      testBed.root.data('POST', '/api/user/manage', { id: user.id, action });
    expect(
      await alternate(
        () => manage('disable'),
        () => manage('enable'),
      ),
    ).toEqual(times(403));
  });
});
