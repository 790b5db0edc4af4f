import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scenarios, type Scenario } from '@tollgate/testing';
import { type Arena, chat } from './arena.js';

const EVENT_STREAM = { 'content-type': 'text/event-stream' };

/** For each of these the client must get an error in its dialect and pay nothing that it did not receive. */
const STRANGE: readonly [string, Scenario][] = [
  ['an error under status 200', scenarios.lieAboutSuccess()],
  ['a page instead of an answer', scenarios.raw(200, '<html>hello</html>', { 'content-type': 'text/html' })],
  ['nothing at all', scenarios.raw(200, '')],
  ['half an answer', scenarios.cutAt(40)],
  ['a connection torn before the head', scenarios.cutAt(0)],
  ['a connection reset', scenarios.cutAt(0, 'reset')],
  ['a refusal that is no JSON', scenarios.raw(500, 'oops', { 'content-type': 'text/plain' })],
  ['bytes that are no text', scenarios.raw(200, scenarios.INVALID_UTF8)],
  ['a list', scenarios.raw(200, '[]')],
  ['null', scenarios.raw(200, 'null')],
  ['deep nesting', scenarios.raw(200, '['.repeat(100_000) + ']'.repeat(100_000))],
  ['nothing but brackets', scenarios.raw(200, '['.repeat(4_000_000))],
  ['a comment and no more', scenarios.raw(200, ': OPENROUTER PROCESSING\n\n', EVENT_STREAM)],
  ['pings and no more', scenarios.raw(200, 'event: ping\ndata: {"type": "ping"}\n\n'.repeat(3), EVENT_STREAM)],
  ['a whole answer that is called a stream', scenarios.raw(200, '{"id":"whole"}', EVENT_STREAM)],
  ['a wrong length of packed bytes', scenarios.raw(200, Buffer.from('nothing packed'), { 'content-encoding': 'gzip' })],
  ['status 204', scenarios.raw(204, '')],
  ['a status nobody knows', scenarios.raw(599, '{}')],
  ['a status that is none', scenarios.raw(999, '{"error":{"message":"no"}}')],
];

/** Malicious replies of an upstream, and what must not be passed on. */
export const describeStrangeReplies = (where: string, open: () => Promise<Arena>): void =>
  describe(`strange replies, ${where}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await open();
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    it.each([
      ['whole', false],
      ['a stream', true],
    ])(
      'become errors without a charge, request for %s',
      async (_, stream) => {
        const scene = await arena.stage(scenarios.speak());
        for (const [name, scenario] of STRANGE) {
          scene.endpoint.play(scenario);
          const reply = await chat(arena, scene, { stream });
          const text = await reply.text();
          expect([name, text]).toEqual([name, expect.stringContaining('"error"')]);
          expect([name, reply.status >= 400 || stream]).toEqual([name, true]);
        }
        await arena.expectService();
      },
      60_000,
    );

    it('that redirect are not followed, and the key is sent nowhere else', async () => {
      const elsewhere = arena.hostile.endpoint(scenarios.claim(3, 2));
      for (const status of [301, 302, 303, 307, 308]) {
        const scene = await arena.stage(scenarios.redirect(`${elsewhere.url}/v1/chat/completions`, status));
        const reply = await chat(arena, scene);
        expect([status, reply.status >= 400]).toEqual([status, true]);
        expect(await reply.text()).not.toContain(elsewhere.url);
      }
      expect(elsewhere.seen()).toEqual([]);
    });

    it('that contain secrets do not reveal them to the client', async () => {
      const keys = ['sk-very-secret-key-of-the-channel-0001', 'plainkeywithoutanyprefix0002'];
      for (const key of keys) {
        const scene = await arena.stage(scenarios.speak(), { channel: { key } });
        for (const status of [400, 401, 403, 429, 500, 503]) {
          scene.endpoint.play(scenarios.tellTale(status));
          const text = await (await chat(arena, scene)).text();
          expect([status, text.includes(key)]).toEqual([status, false]);
          expect([status, text.includes(new URL(scene.endpoint.url).host)]).toEqual([status, false]);
        }
        const rows = JSON.stringify(await scene.user.data('GET', '/api/log/self?p=1&page_size=100'));
        expect(rows.includes(key)).toBe(false);
      }
    });

    it('leave books without faults', () => arena.expectTrueBooks(), 60_000);
  });
