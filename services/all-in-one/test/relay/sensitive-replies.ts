import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { APIError } from 'openai';
import { readUntil } from '@tollgate/testing';
import { rowOf } from '../support/relay-site.js';
import { MODELS, type OfficialClientsWorld } from './official-clients-world.js';

/** What clients get when a reply contains sensitive words. */
export function describeSensitiveReplies(world: OfficialClientsWorld): void {
  describe('sensitive words in replies', () => {
    const put = (key: string, value: string) => world.testBed.root.data('PUT', '/api/option/', { key, value });
    const prompt = 'hello [[split]]';

    beforeAll(async () => {
      await put('StreamCacheQueueLength', '4');
      await put('SensitiveWords', 'dear Ünïverse');
      await put('CheckSensitiveOnCompletionEnabled', 'true');
      // The relay learns of options a moment later, one after the other.
      world.google.behave({ parts: [{ text: 'dear Ünïverse' }] });
      const statusOf = async () => {
        const answer = await fetch(`${world.testBed.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: MODELS.gemini, messages: [{ role: 'user', content: prompt }] }),
        });
        await answer.arrayBuffer();
        return answer.status;
      };
      expect(await readUntil(statusOf, (status) => status === 400)).toBe(400);
    });
    afterAll(async () => {
      await put('CheckSensitiveOnCompletionEnabled', 'false');
    });

    it('end a stream before they are sent, and cost what was delivered', async () => {
      world.google.behave({
        parts: ['One', ' two', ' three', ' four', ' five', ' six', ' dear', ' Ünïverse'].map((text) => ({ text })),
      });
      const { data, response } = await world.openai.chat.completions
        .create({ model: MODELS.gemini, messages: [{ role: 'user', content: prompt }], stream: true })
        .withResponse();
      const texts: string[] = [];
      const read = async () => {
        for await (const chunk of data) texts.push(chunk.choices[0]?.delta.content ?? '');
      };
      await expect(read()).rejects.toMatchObject({ code: 'sensitive_words_detected' });
      expect(texts.join('')).toBe('One two three');
      const row = await rowOf(world.testBed, response.headers.get('x-oneapi-request-id') ?? '');
      expect(row.completion_tokens).toBe(3);
      expect(row.quota).toBeGreaterThan(0);
      expect(row.other).toMatchObject({ outcome: 'sensitive_words', error_code: 'sensitive_words_detected' });
    });

    it.each([
      [false, 'what was made of it'],
      [true, 'its prompt'],
    ])('refuse a reply that begins with them (stream: %s), and cost %s', async (stream) => {
      world.google.behave({ parts: [{ text: 'dear Ünïverse' }] });
      const refused = await world.openai.chat.completions
        .create({ model: MODELS.gemini, messages: [{ role: 'user', content: prompt }], stream })
        .then(
          () => undefined,
          (error: unknown) => error as APIError,
        );
      expect(refused).toMatchObject({ status: 400, code: 'sensitive_words_detected' });
      const row = await rowOf(world.testBed, refused?.headers?.get('x-oneapi-request-id') ?? '');
      expect(row.other.outcome).toBe('sensitive_words');
      expect(row.completion_tokens > 0).toBe(!stream);
      expect(row.quota).toBeGreaterThan(0);
    });
  });
}
