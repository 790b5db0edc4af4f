import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Scenario, say, words } from '@tollgate/testing';
import { type Arena, bookingsOf, chat, expectBalance, priceOf } from './arena.js';

/** Number of words that the upstream sends without a limit. */
const TALKATIVE = 16_000;

interface Asked {
  max_tokens?: number;
  max_completion_tokens?: number;
  n?: number;
  prompt?: unknown;
}

const limitOf = ({ max_tokens: limit, max_completion_tokens: newer }: Asked): number =>
  Math.min(TALKATIVE, newer ?? limit ?? TALKATIVE);

/** Every reply is as long as its limit, and there are as many replies as requested. */
const generous: Scenario = async (stage) => {
  const asked = stage.json as Asked;
  const prompts = Array.isArray(asked.prompt) ? asked.prompt.length : 1;
  const answers = prompts * (asked.n ?? 1);
  const each = limitOf(asked);
  const usage = `{"prompt_tokens":${3 * prompts},"completion_tokens":${answers * each},"total_tokens":0}`;
  const text = words(each).join('');
  const choices = Array.from({ length: answers }, (_, index) => ({
    index,
    finish_reason: 'length',
    ...(stage.endpoint === 'chat' ? { message: { role: 'assistant', content: text } } : { text }),
  }));
  if (stage.isStream) return say(stage, { words: words(each), usage: [usage] });
  stage.head(200, { 'content-type': 'application/json' });
  await stage.end(
    `{"id":"g","object":"o","created":1,"model":"m","choices":${JSON.stringify(choices)},"usage":${usage}}`,
  );
};

/** Calls that may cost more than a wallet has. */
export const describeHoldAttacks = (where: string, open: () => Promise<Arena>): void =>
  describe(`a small wallet that asks for much, ${where}`, () => {
    let arena: Arena;
    beforeAll(async () => {
      arena = await open();
    }, 240_000);
    afterAll(() => arena?.close(), 120_000);

    /** The price of what the upstream served for the scene. */
    const worthOf = (bodies: readonly Buffer[]): number =>
      bodies.reduce((sum, body) => {
        const asked = JSON.parse(body.toString()) as Asked;
        const prompts = Array.isArray(asked.prompt) ? asked.prompt.length : 1;
        return sum + priceOf(3 * prompts, prompts * (asked.n ?? 1) * limitOf(asked));
      }, 0);

    it.each([
      ['60 calls at once without a limit', 60, {}, '/v1/chat/completions'],
      ['20 streams at once without a limit', 20, { stream: true }, '/v1/chat/completions'],
      ['20 calls of 50 answers each', 20, { n: 50, max_tokens: 100 }, '/v1/chat/completions'],
      [
        '5 completions of 500 prompts',
        5,
        { prompt: Array.from({ length: 500 }, () => 'three plain words'), max_tokens: 100, messages: undefined },
        '/v1/completions',
      ],
    ])(
      'by %s is never charged or served more than its balance',
      async (_, count, body, path) => {
        const scene = await arena.stage(generous, { quota: 50_000 });
        const statuses = await Promise.all(
          Array.from({ length: count }, async () => {
            const reply = await chat(arena, scene, body, { path });
            await reply.text();
            return reply.status;
          }),
        );
        expect(new Set(statuses)).toEqual(new Set(statuses.filter((status) => status === 200 || status === 403)));
        const served = scene.endpoint.seen();
        const worth = worthOf(served.map((entry) => entry.body));
        // Exactly what the upstream served was charged, and the wallet could pay it.
        expect(worth).toBeLessThanOrEqual(scene.quota);
        await expectBalance(arena, scene, scene.quota - worth);
        await bookingsOf(arena, scene, served.length);
        await arena.expectService();
      },
      60_000,
    );

    it('leaves books without faults', () => arena.expectTrueBooks(), 60_000);
  });
