import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readUntil, type Scenario, scenarios, words } from '@tollgate/testing';
import { quotaOf } from '../support/relay-site.js';
import { type Arena, bookingsOf, chat, expectBalance, leaveAt, priceOf, RICH } from './arena.js';

/** By any tokenizer, short words have one or two tokens. */
const mostFor = (promptTokens: number, said: number): number => priceOf(3 * promptTokens + 30, 2.5 * said + 10);

/** Invalid or impossible numbers, each reported for a reply of ten words. */
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

/** Reports usage after the first word, when it is true, and not again. */
const tellsEarly = (count: number, paceMs = 0): Scenario =>
  scenarios.blurt(1, 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}\n\n', {
    words: words(count),
    paceMs,
  });

/** Which usage reported by an upstream is believed. */
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
      'is not charged for an implausible usage, reply %s',
      async (_, stream) => {
        for (const lie of LIES) {
          const scene = await arena.stage(scenarios.claim(3, lie, words(10)));
          const reply = await chat(arena, scene, { stream });
          expect([lie, reply.status, await reply.text()]).toEqual([lie, 200, expect.stringContaining('w10')]);
          const [booking] = await bookingsOf(arena, scene, 1);
          // Ten words were delivered, so the charge must be neither zero nor huge. An upstream that reports too little
          // only harms itself.
          expect([lie, (booking?.amount ?? 0) > 0]).toEqual([lie, true]);
          expect([lie, (booking?.amount ?? 0) <= mostFor(3, 10)]).toEqual([lie, true]);
          await expectBalance(arena, scene, RICH - (booking?.amount ?? 0));
        }
        await arena.expectService();
      },
      60_000,
    );

    it('that states two usages is charged for one of them, never for both', async () => {
      for (const stream of [false, true]) {
        const scene = await arena.stage(scenarios.contradict([3, 2], [3, 10]));
        await (await chat(arena, scene, { stream })).text();
        const [booking] = await bookingsOf(arena, scene, 1);
        expect([priceOf(3, 2), priceOf(3, 10)]).toContain(booking?.amount);
      }
    });

    it('that states a usage early and continues is charged for the whole text', async () => {
      const scene = await arena.stage(tellsEarly(500));
      expect(await (await chat(arena, scene, { stream: true })).text()).toContain('w500');
      const [booking] = await bookingsOf(arena, scene, 1);
      expect(booking?.amount).toBeGreaterThanOrEqual(priceOf(3, 500));
      expect(booking?.amount).toBeLessThanOrEqual(mostFor(3, 500));
    });

    it('that states a usage early makes an early disconnect no cheaper', async () => {
      const scene = await arena.stage(tellsEarly(3000, 5));
      await leaveAt(arena, scene, ' w100"');
      const [booking] = await bookingsOf(arena, scene, 1);
      expect(booking?.amount).toBeGreaterThanOrEqual(priceOf(3, 100));
    });

    it('that states a usage early cannot overdraw a wallet', async () => {
      const scene = await arena.stage(tellsEarly(20_000), { quota: priceOf(3, 1000) });
      const reply = await chat(arena, scene, { stream: true });
      const text = await reply.text();
      expect([reply.status, text.includes('w20000')]).toEqual([200, false]);
      await bookingsOf(arena, scene, 1);
      const left = await readUntil(
        () => quotaOf(arena.site, scene.user.id),
        (quota) => quota < scene.quota / 2,
      );
      // At most what arrived while the relay was requesting quota is too much.
      expect(Math.abs(left)).toBeLessThanOrEqual(scene.quota / 2);
    });

    it('and fails inside a stream like MiniMax causes an error at the client', async () => {
      const scene = await arena.stage(scenarios.failInside(3, scenarios.MINIMAX_FAULT));
      const text = await (await chat(arena, scene, { stream: true })).text();
      expect(text).toContain('w3');
      expect(text).toMatch(/"error"/);
      expect(text).not.toContain('[DONE]');
      const [booking] = await bookingsOf(arena, scene, 1);
      expect(booking?.amount).toBeLessThanOrEqual(mostFor(3, 3));
      await arena.expectService();
    });

    it('leaves books without faults', () => arena.expectTrueBooks(), 60_000);
  });
