import { describe, expect, it } from '@jest/globals';
import { rowOf } from '../support/relay-site.js';
import { idOf, type MediaWorld, refusalOf } from './media-world.js';

/** Pictures made from other pictures. */
export function describePictureEdits(world: MediaWorld): void {
  describe('image edits', () => {
    const picture = (name = 'a.png'): File => new File([new Uint8Array(5000).fill(7)], name, { type: 'image/png' });
    const form = (fields: Record<string, string | File>): FormData => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      return body;
    };
    const send = (body: FormData | string): Promise<Response> =>
      fetch(`${world.testBed.url}/v1/images/edits`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.key}` },
        body,
      });

    it('accept several images and a mask from the client of OpenAI, charged by tokens', async () => {
      const { data, response } = await world.openai.images
        .edit({
          model: 'gpt-image-1',
          image: [picture('a.png'), picture('b.png')],
          mask: picture('mask.png'),
          prompt: 'add a gate',
          quality: 'low',
          n: 2,
        })
        .withResponse();
      expect(data.data).toHaveLength(2);
      const sent = world.lastBody() as Record<string, unknown>;
      expect(sent).toMatchObject({ model: 'gpt-image-1', prompt: 'add a gate', quality: 'low', n: '2' });
      expect(sent['image[]']).toEqual(
        ['a.png', 'b.png'].map((filename) => ({ filename, type: 'image/png', bytes: 5000 })),
      );
      expect(sent.mask).toMatchObject({ filename: 'mask.png', bytes: 5000 });
      const row = await rowOf(world.testBed, idOf(response));
      // (3 + 3 · 323 · 2 + 544 · 8) · 2.5
      expect([row.prompt_tokens, row.completion_tokens, row.quota]).toEqual([972, 544, 15_733]);
      expect(row.other).toMatchObject({ image: true, image_ratio: 2, image_output: 969 });
    });

    it('use the default model when none is named, and send the same images to the next channel', async () => {
      const response = await send(form({ image: picture(), prompt: 'again' }));
      expect(response.status).toBe(200);
      expect(world.lastBody()).toMatchObject({ model: 'gpt-image-1', image: { bytes: 5000 }, prompt: 'again' });
      const other = await send(form({ image: picture(), prompt: 'again', model: 'gpt-image-1-mini' }));
      expect(world.lastBody()).toMatchObject({ model: 'gpt-image-1-mini', image: { bytes: 5000 }, prompt: 'again' });
      expect((await rowOf(world.testBed, idOf(other))).other.admin_info.use_channel).toHaveLength(2);
    });

    it('go without a size where the client names it `empty`', async () => {
      const sizes = async (size: string): Promise<unknown> => {
        const response = await send(form({ image: picture(), prompt: 'x', size }));
        expect(response.status).toBe(200);
        return (world.lastBody() as Record<string, unknown>).size;
      };
      expect([await sizes('empty'), await sizes('1024x1536')]).toEqual([undefined, '1024x1536']);
    });

    it('are streamed as events on request', async () => {
      const events = await world.openai.images.edit({ image: picture(), prompt: 'x', stream: true, partial_images: 1 });
      const types: string[] = [];
      for await (const event of events) types.push(event.type);
      expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed']);
      const ask = { model: 'gpt-image-1', prompt: 'x y', stream: true, quality: 'low' } as const;
      const { data: drawn, response } = await world.openai.images.generate(ask).withResponse();
      for await (const event of drawn) types.push(event.type);
      expect(types.at(-1)).toBe('image_generation.completed');
      const row = await rowOf(world.testBed, idOf(response));
      expect(row).toMatchObject({ is_stream: true, prompt_tokens: 2, completion_tokens: 272 });
      // Its only event is the closing one.
      expect(row.other.frt).toBeGreaterThanOrEqual(0);
    });

    it.each([
      ['no form', '{}', 'the body must be multipart/form-data with a picture'],
      ['no picture', form({ prompt: 'x' }), 'field image is required'],
      ['no prompt', form({ image: picture() }), 'prompt is required'],
      ['a file for a value', form({ image: picture(), prompt: 'x', n: picture() }), 'field n must not be a file'],
      ['in another case', form({ image: picture(), prompt: 'x', Model: picture() }), 'field Model must not be a file'],
      ['a number in words', form({ image: picture(), prompt: 'x', n: 'two' }), 'n is invalid'],
      ['too many', form({ image: picture(), prompt: 'x', n: '11' }), 'n must be between 1 and 10'],
      ['none', form({ image: picture(), prompt: 'x', n: '0' }), 'n must be between 1 and 10'],
    ])('are refused before anybody is asked: %s', async (_, body, message) => {
      expect(await refusalOf(await send(body))).toEqual({ status: 400, code: 'invalid_image_request', message });
      expect(world.upstream.journal()).toEqual([]);
    });

    it('are refused for a model without channels before they are refused for want of a picture', async () => {
      const refused = await refusalOf(await send(form({ model: 'nobody', prompt: 'x' })));
      expect(refused).toMatchObject({ status: 503, code: 'no_available_channel' });
    });
  });
}
