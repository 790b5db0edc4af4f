import { describe, expect, it } from '@jest/globals';
import type { UpstreamTokens, Clock } from '@tollgate/chassis';
import type { ChannelSetting, FollowUp } from '@tollgate/providers';
import type { ClientWatch } from './client-watch.js';
import type { ReplyRoom } from './reply-room.js';
import { Steps } from './steps.js';
import type { Try } from './try.js';
import type { UpstreamClient } from './upstream.client.js';
import { UpstreamFailure, type UpstreamResponse } from './upstream-response.js';
import type { Way } from './way.js';

const reply = (status: number, text: string): UpstreamResponse =>
  ({
    status,
    headers: {},
    contentType: 'application/json',
    read: () => Promise.resolve(Buffer.from(text)),
  }) as unknown as UpstreamResponse;

interface Circumstances {
  afterMs?: number;
  msPerStep?: number;
  setting?: ChannelSetting;
  isFinal?: boolean;
}

/** An upstream with a task that is polled until its status is `done`. */
function scene(
  later: UpstreamResponse[],
  { afterMs = 0, msPerStep = 0, setting = {}, isFinal = false }: Circumstances = {},
) {
  const asked: string[] = [];
  /** The time that each step was given. */
  const given: number[] = [];
  let released = 0;
  let now = 0;
  const upstream = {
    send: ({ url, headers }: { url: string; headers: Record<string, string> }, _: unknown, { totalMs }: Way) => {
      asked.push(`${url} ${headers.authorization ?? ''}${headers['x-title'] ?? ''}`);
      given.push(totalMs);
      now += msPerStep;
      return Promise.resolve(later.shift());
    },
  };
  const room = { claim: () => ({ take: () => undefined, release: () => (released += 1) }) };
  const clock = { monotonic: () => now };
  const steps = new Steps(
    upstream as unknown as UpstreamClient,
    room as unknown as ReplyRoom,
    clock as unknown as Clock,
    {} as UpstreamTokens,
  );
  const followUp = (replies: readonly Buffer[]): FollowUp | undefined =>
    replies.at(-1)?.toString() === 'done'
      ? undefined
      : { request: { method: 'GET', url: `task/${replies.length}`, headers: {}, isFinal }, afterMs };
  const current = {
    call: { json: {}, bytes: Buffer.alloc(0), headers: { 'x-title': 'App' } },
    request: {},
    adapter: { followUp },
    target: { setting },
    provider: { authorize: () => Promise.resolve({ headers: { authorization: 'signed' } }) },
  } as unknown as Try;
  let leave: () => void = () => undefined;
  const watch = { abortable: (stop: () => void) => (leave = stop), sent: () => undefined } as unknown as ClientWatch;
  const follow = (first: UpstreamResponse) => steps.follow(current, first, watch, 0);
  return { asked, given, follow, leave: () => leave(), released: () => released };
}

describe('an upstream that answers in steps', () => {
  it('is polled, with each request signed, until it has answered', async () => {
    const { asked, follow, released } = scene([reply(200, 'working'), reply(200, 'done')]);
    const last = await follow(reply(200, 'accepted'));
    expect((await last.read(100)).toString()).toBe('done');
    expect([asked, released()]).toEqual([['task/1 signed', 'task/2 signed'], 1]);
  });

  it('ends with the first unsuccessful step', async () => {
    const { follow } = scene([reply(429, 'slow down')]);
    expect((await follow(reply(200, 'accepted'))).status).toBe(429);
    const { follow: refuse, asked } = scene([]);
    expect((await refuse(reply(400, 'no'))).status).toBe(400);
    expect(asked).toEqual([]);
  });

  it('times out', async () => {
    const { follow, given } = scene([reply(200, 'working'), reply(200, 'working')], { msPerStep: 400_000 });
    await expect(follow(reply(200, 'accepted'))).rejects.toMatchObject({ reason: 'timeout' });
    expect(given).toEqual([600_000, 200_000]);
  });

  it('has the total time of its channel for all steps together', async () => {
    const working = [reply(200, 'working'), reply(200, 'working'), reply(200, 'working')];
    const { follow, given } = scene(working, { msPerStep: 1500, setting: { total_timeout: 4 } });
    await expect(follow(reply(200, 'accepted'))).rejects.toMatchObject({ reason: 'timeout' });
    expect(given).toEqual([4000, 2500, 1000]);
  });

  it('pauses no longer than the total time of its channel lasts', async () => {
    const { follow, asked } = scene([], { afterMs: 600_000, setting: { total_timeout: 0.001 } });
    await expect(follow(reply(200, 'accepted'))).rejects.toMatchObject({ reason: 'timeout' });
    expect(asked).toEqual([]);
  });

  it.each([
    [{}, Infinity],
    [{ total_timeout: 700 }, 700_000],
  ])('has %j for the answer itself, which the time for the steps does not cut', async (setting, ms) => {
    const { follow, given } = scene([reply(200, 'answer')], { isFinal: true, setting });
    expect((await follow(reply(200, 'uploaded'))).status).toBe(200);
    expect(given).toEqual([ms]);
  });

  it.each([
    [true, 'task/1 signedApp'],
    [false, 'task/1 signed'],
  ])('gets headers of the client with the request for the answer: %s', async (isFinal, sent) => {
    const { follow, asked } = scene([reply(200, 'done')], { isFinal, setting: { forward_headers: ['X-Title'] } });
    await follow(reply(200, 'uploaded'));
    expect(asked).toEqual([sent]);
  });

  it('is not polled any more once the client has left', async () => {
    const { follow, leave, released } = scene([], { afterMs: 60_000 });
    const left = follow(reply(200, 'accepted'));
    await new Promise((resolve) => setImmediate(resolve));
    leave();
    await expect(left).rejects.toBeInstanceOf(UpstreamFailure);
    expect(released()).toBe(1);
  });
});
