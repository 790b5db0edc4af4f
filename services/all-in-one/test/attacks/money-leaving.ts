import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { abortDelay, readUntil, scenarios, say, words } from '@tollgate/testing';
import { type Arena, bookingsOf, chat, expectBalance, leaveAt, priceOf, RICH } from './arena.js';

/** Two seconds are promised; a slow machine gets more. */
const CUT_WITHIN_MS = 10_000;

/** Clients that disconnect to pay less. */
export const describeLeavingAttacks = (where: string, open: () => Promise<Arena>): void =>
  describe(`a client that hangs up, ${where}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await open();
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    it('after the end of the reply but before its usage pays for all of it', async () => {
      const usage = `{"prompt_tokens":3,"completion_tokens":5050,"total_tokens":0,"completion_tokens_details":{"reasoning_tokens":5000}}`;
      const scene = await arena.stage((stage) =>
        say(stage, { words: words(50), usage: [usage], beforeUsage: () => stage.pause(300) }),
      );
      await leaveAt(arena, scene, '"finish_reason":"stop"');
      await expectBalance(arena, scene, RICH - priceOf(3, 5050));
      expect(scene.endpoint.seen()[0]?.isFinished).toBe(true);
    });

    it('in the middle aborts the upstream, and pays for what was delivered', async () => {
      const scene = await arena.stage((stage) => say(stage, { words: words(3_000), paceMs: 20, usage: [] }));
      await leaveAt(arena, scene, ' w20"');
      const [entry] = await readUntil(
        () => Promise.resolve(scene.endpoint.seen()),
        ([first]) => first?.abortedAt !== undefined,
        CUT_WITHIN_MS,
      );
      expect(entry && abortDelay(entry)).toBeDefined();
      const [booking] = await bookingsOf(arena, scene, 1);
      // At least twenty words, and no more than the upstream has sent.
      const sent = (entry?.bytesSent ?? 0) / 100;
      expect(booking?.amount).toBeGreaterThanOrEqual(priceOf(3, 20));
      expect(booking?.amount).toBeLessThanOrEqual(priceOf(30, 2.5 * sent));
    });

    it('before a whole reply pays at least for the prompt', async () => {
      const scene = await arena.stage(scenarios.fallSilent('before the head'));
      const leaving = new AbortController();
      const asked = chat(arena, scene, {}, { signal: leaving.signal }).catch(() => undefined);
      await readUntil(
        () => Promise.resolve(scene.endpoint.seen()),
        ([first]) => (first?.body.length ?? 0) > 0,
      );
      leaving.abort();
      await asked;
      const [booking] = await bookingsOf(arena, scene, 1);
      expect(booking?.amount).toBeGreaterThanOrEqual(priceOf(3, 0));
    });

    it('at any moment, among a hundred clients, never overdraws the wallet', async () => {
      const scene = await arena.stage(
        (stage) => say(stage, { words: words(40), paceMs: 5, usage: [`{"prompt_tokens":3,"completion_tokens":40}`] }),
        { quota: 60 * priceOf(30, 100) },
      );
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const reply = chat(
            arena,
            scene,
            { stream: index % 2 === 0, max_tokens: 40 },
            { signal: AbortSignal.timeout(20 + index * 3) },
          );
          await reply.then((answer) => answer.text()).catch(() => undefined);
        }),
      );
      const balance = async (): Promise<number> =>
        (await arena.site.root.data<{ quota: number }>('GET', `/api/user/${scene.user.id}`)).quota;
      await arena.expectService();
      expect(await balance()).toBeGreaterThanOrEqual(0);
    }, 60_000);

    it('leaves books without faults', () => arena.expectTrueBooks(), 60_000);
  });
