import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scenarios, words } from '@tollgate/testing';
import { type Arena, bookingsOf, chat, expectBalance, priceOf, RICH } from './arena.js';

/** Short words are a token or two each by any tokenizer. */
const mostFor = (promptTokens: number, said: number): number => priceOf(3 * promptTokens + 30, 2.5 * said + 10);

/** Numbers that are none, or that cannot be. All of them are told about an answer of ten words. */
const LIES = [
  '1000000000',
  '18446744073709551615',
  '9007199254740993',
  '-1',
  '-9223372036854775808',
  '1.5',
  '1e400',
  '"12"',
  'null',
  '[]',
  '{"value":1}',
  'true',
];

/** What upstreams tell of their usage, and how it is believed. */
export const describeUsageAttacks = (where: string, open: () => Promise<Arena>): void =>
  describe(`an upstream that lies about usage, ${where}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await open();
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    it.each([
      ['whole', false],
      ['as a stream', true],
    ])(
      'is not believed when it cannot be true, answered %s',
      async (_, stream) => {
        for (const lie of LIES) {
          const scene = await arena.stage(scenarios.claim(3, lie, words(10)));
          const reply = await chat(arena, scene, { stream });
          expect([lie, reply.status, await reply.text()]).toEqual([lie, 200, expect.stringContaining('w10')]);
          const [booking] = await bookingsOf(arena, scene, 1);
          // Ten words were delivered, so neither nothing nor a fortune. Whoever claims less than was said harms himself.
          expect([lie, (booking?.amount ?? 0) > 0]).toEqual([lie, true]);
          expect([lie, (booking?.amount ?? 0) <= mostFor(3, 10)]).toEqual([lie, true]);
          await expectBalance(arena, scene, RICH - (booking?.amount ?? 0));
        }
        await arena.expectService();
      },
      60_000,
    );

    it('that tells two things is charged for one of them, never for both', async () => {
      for (const stream of [false, true]) {
        const scene = await arena.stage(scenarios.contradict([3, 2], [3, 10]));
        await (await chat(arena, scene, { stream })).text();
        const [booking] = await bookingsOf(arena, scene, 1);
        expect([priceOf(3, 2), priceOf(3, 10)]).toContain(booking?.amount);
      }
    });

    it('and fails inside a stream the way MiniMax does is an error to the client', async () => {
      const scene = await arena.stage(scenarios.failInside(3, scenarios.MINIMAX_FAULT));
      const text = await (await chat(arena, scene, { stream: true })).text();
      expect(text).toContain('w3');
      expect(text).toMatch(/"error"/);
      expect(text).not.toContain('[DONE]');
      const [booking] = await bookingsOf(arena, scene, 1);
      expect(booking?.amount).toBeLessThanOrEqual(mostFor(3, 3));
      await arena.expectService();
    });

    it('leaves true books', () => arena.expectTrueBooks(), 60_000);
  });
