import { describe, expect, it } from '@jest/globals';
import type { UpstreamTokens, Clock } from '@tollgate/chassis';
import type { FollowUp } from '@tollgate/providers';
import type { ClientWatch } from './client-watch.js';
import type { ReplyRoom } from './reply-room.js';
import { Steps } from './steps.js';
import type { Try } from './try.js';
import { type UpstreamClient, UpstreamFailure, type UpstreamResponse } from './upstream.client.js';

const reply = (status: number, text: string): UpstreamResponse =>
  ({
    status,
    headers: {},
    contentType: 'application/json',
    read: () => Promise.resolve(Buffer.from(text)),
  }) as unknown as UpstreamResponse;

/** An upstream with a task that is polled until its status is `done`. */
function scene(later: UpstreamResponse[], { afterMs = 0, msPerLook = 0 } = {}) {
  const asked: string[] = [];
  let released = 0;
  let now = 0;
  const upstream = {
    send: ({ url, headers }: { url: string; headers: Record<string, string> }) => {
      asked.push(`${url} ${headers.authorization ?? ''}`);
      return Promise.resolve(later.shift());
    },
  };
  const room = { claim: () => ({ take: () => undefined, release: () => (released += 1) }) };
  const clock = { monotonic: () => (now += msPerLook) };
  const steps = new Steps(
    upstream as unknown as UpstreamClient,
    room as unknown as ReplyRoom,
    clock as unknown as Clock,
    {} as UpstreamTokens,
  );
  const followUp = (replies: readonly Buffer[]): FollowUp | undefined =>
    replies.at(-1)?.toString() === 'done'
      ? undefined
      : { request: { method: 'GET', url: `task/${replies.length}`, headers: {} }, afterMs };
  const current = {
    call: { json: {}, bytes: Buffer.alloc(0) },
    request: {},
    adapter: { followUp },
    target: { setting: {} },
    provider: { authorize: () => Promise.resolve({ headers: { authorization: 'signed' } }) },
  } as unknown as Try;
  let leave: () => void = () => undefined;
  const watch = { abortable: (stop: () => void) => (leave = stop), sent: () => undefined } as unknown as ClientWatch;
  const follow = (first: UpstreamResponse) => steps.follow(current, first, watch);
  return { asked, follow, leave: () => leave(), released: () => released };
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
    const { follow } = scene([reply(200, 'working'), reply(200, 'working')], { msPerLook: 400_000 });
    await expect(follow(reply(200, 'accepted'))).rejects.toMatchObject({ reason: 'timeout' });
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
