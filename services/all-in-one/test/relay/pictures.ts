import { describe, expect, it } from '@jest/globals';
import { readUntil } from '@tollgate/testing';
import { quotaOf, rowOf } from '../support/relay-site.js';
import { idOf, type MediaWorld, refusalOf } from './media-world.js';

/** Pictures drawn from a prompt. */
export function describePictures(world: MediaWorld): void {
  describe('pictures', () => {
    it('are returned to the client of OpenAI, charged by size, quality and number', async () => {
      const { data, response } = await world.openai.images
        .generate({ model: 'dall-e-3', prompt: 'a toll gate', size: '1024x1792', quality: 'hd' })
        .withResponse();
      expect(data.data?.[0]).toMatchObject({
        url: expect.stringContaining('.png'),
        revised_prompt: expect.any(String),
      });
      const stated = { model: 'dall-e-3', prompt: 'a toll gate', size: '1024x1792', quality: 'hd' };
      expect(world.lastBody()).toEqual({ ...stated, n: 1 });
      const row = await rowOf(world.testBed, idOf(response));
      expect([row.type, row.quota, row.prompt_tokens, row.completion_tokens]).toEqual([2, 60_000, 1, 0]);
      expect(row.content).toBe('模型价格 0.04，分组倍率 1.00, 大小 1024x1792, 品质 hd');
      expect(row.other).toMatchObject({ usage_source: 'requested', outcome: 'completed' });
    });

    it('use the default model when none is named, and are charged per image', async () => {
      const response = await world.post('/v1/images/generations', { prompt: 'two gates', n: 2, size: '256x256' });
      expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(2);
      expect(world.lastBody()).toEqual({ prompt: 'two gates', n: 2, size: '256x256', model: 'dall-e-2' });
      const row = await rowOf(world.testBed, idOf(response));
      // 0.016 · 0.4 · 2 USD
      expect([row.model_name, row.quota]).toEqual(['dall-e', 6400]);
    });

    it('are charged by the tokens of the upstream, or by their number when it states none', async () => {
      const ask = {
        model: 'gpt-image-1',
        prompt: 'a gate in mist',
        quality: 'high',
        background: 'transparent',
      } as const;
      const told = await world.openai.images.generate({ ...ask, size: '1024x1024' }).withResponse();
      expect(told.data.data?.[0]?.b64_json).toBeTruthy();
      const row = await rowOf(world.testBed, idOf(told.response));
      // (4 + 4160 · 8) · 2.5
      expect([row.quota, row.prompt_tokens, row.completion_tokens]).toEqual([83_210, 4, 4160]);
      expect(row.content).toContain('大小 1024x1024, 品质 high');
      world.upstream.control({ usage: 'zero' });
      const untold = await world.openai.images.generate({ ...ask, quality: 'low' }).withResponse();
      const counted = await rowOf(world.testBed, idOf(untold.response));
      // 0.0025 · 2.5 USD
      expect([counted.quota, counted.prompt_tokens, counted.completion_tokens]).toEqual([3125, 1, 0]);
      expect(counted.other.usage_source).toBe('requested');
    });

    it.each([
      ['no prompt', { model: 'dall-e-3' }, [400, 'invalid_image_request', 'prompt is required']],
      [
        'a size the model has not',
        { model: 'dall-e-3', prompt: 'x', size: '256x256' },
        [
          400,
          'invalid_image_request',
          'size must be one of 256x256, 512x512, or 1024x1024, dall-e-3 1024x1792 or 1792x1024',
        ],
      ],
      [
        'a multiplication sign',
        { model: 'dall-e-2', prompt: 'x', size: '256×256' },
        [400, 'invalid_image_request', expect.stringContaining("use 'x' instead of the multiplication sign '×'")],
      ],
      [
        'too many',
        { model: 'dall-e-2', prompt: 'x', n: 11 },
        [400, 'invalid_image_request', 'n must be between 1 and 10'],
      ],
      [
        'less than none',
        { model: 'dall-e-3', prompt: 'x', n: -1 },
        [400, 'invalid_image_request', 'n must be between 1 and 10'],
      ],
      [
        'a number beyond all',
        { model: 'dall-e-3', prompt: 'x', n: 1e300 },
        [400, 'invalid_image_request', 'n is invalid'],
      ],
      [
        'a quality that nobody has',
        { model: 'dall-e-3', prompt: 'x', quality: 'ultra' },
        [400, 'invalid_image_request', 'quality must be one of standard, hd'],
      ],
      ['a number in words', { model: 'dall-e-2', prompt: 'x', n: '3' }, [400, 'invalid_image_request', 'n is invalid']],
      ['a channel without it', { model: 'claude-2.1', prompt: 'x' }, [400, 'invalid_api_type', expect.any(String)]],
      ['an unknown model', { model: 'nobody', prompt: 'x' }, [503, 'no_available_channel', expect.any(String)]],
    ])('are refused before anybody is asked: %s', async (_, body, [status, code, message]) => {
      expect(await refusalOf(await world.post('/v1/images/generations', body))).toEqual({ status, code, message });
      expect(world.upstream.journal()).toEqual([]);
    });

    it('are refused when the wallet cannot pay for all of them, and cost nothing when they fail', async () => {
      const poor = await world.testBed.user('poor painter', 59_999);
      const own = await world.testBed.token(poor);
      const ask = { model: 'dall-e-3', prompt: 'x', n: 3 };
      expect(await refusalOf(await world.post('/v1/images/generations', ask, own))).toEqual({
        status: 403,
        code: 'insufficient_user_quota',
        message: expect.stringMatching(
          /^image pre-consumed quota failed, user quota: ＄0.119998, need quota: ＄0.120000$/,
        ),
      });
      expect(world.upstream.journal()).toEqual([]);
      world.upstream.failWith(400, 'content_policy_violation');
      const failed = await world.post('/v1/images/generations', { ...ask, n: 1 }, own);
      expect(await refusalOf(failed)).toMatchObject({ status: 400, code: 'content_policy_violation' });
      const row = await rowOf(world.testBed, idOf(failed));
      expect([row.type, row.quota]).toEqual([5, 0]);
      world.upstream.reset();
      // The held quota is available again.
      expect((await world.post('/v1/images/generations', { ...ask, n: 2 }, own)).status).toBe(200);
      expect(
        await readUntil(
          () => quotaOf(world.testBed, poor.id),
          (quota) => quota < 59_999,
        ),
      ).toBe(19_999);
    });
  });
}
