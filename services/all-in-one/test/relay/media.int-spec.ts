import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Person } from '@tollgate/testing';
import { rowOf } from '../support/relay-site.js';
import { idOf, MediaWorld, refusalOf } from './media-world.js';
import { describePictureEdits } from './picture-edits.js';
import { describePictures } from './pictures.js';
import { describeSpeech } from './speech.js';

describe('pictures, sound and moderation', () => {
  const world = new MediaWorld();
  beforeAll(() => world.open(), 120_000);
  afterAll(() => world.close());
  beforeEach(() => world.upstream.reset());

  describePictures(world);
  describePictureEdits(world);
  describeSpeech(world);

  describe('moderation', () => {
    it('replies to the client of OpenAI with the default model, charged by the tokens of the text', async () => {
      const { data, response } = await world.openai.moderations
        .create({ input: ['a quiet day', 'sheer violence'] })
        .withResponse();
      expect(data.results.map(({ flagged }) => flagged)).toEqual([false, true]);
      expect(world.lastBody()).toMatchObject({ model: 'text-moderation-latest' });
      const row = await rowOf(world.testBed, idOf(response));
      expect([row.model_name, row.completion_tokens, row.other.usage_source]).toEqual([
        'text-moderation-stable',
        0,
        'estimated',
      ]);
      expect(row.prompt_tokens).toBeGreaterThan(4);
      expect(row.quota).toBe(1);
    });

    it('is refused without a text', async () => {
      const refused = await refusalOf(await world.post('/v1/moderations', { input: [] }));
      expect([refused.code, refused.message]).toEqual(['invalid_text_request', 'field input is required']);
    });
  });

  describe('the playground', () => {
    const asked = async (path: string, body: string | FormData): Promise<Response> => {
      const person = await painter;
      return fetch(`${world.testBed.url}${path}`, {
        method: 'POST',
        headers: {
          'new-api-user': String(person.id),
          cookie: person.cookie,
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        },
        body,
      });
    };
    let painter: Promise<Person>;
    beforeAll(() => {
      painter = world.testBed.user('player', 1_000_000);
    });

    it('makes images and speech in the requested group', async () => {
      const drawn = await asked(
        '/pg/images/generations',
        JSON.stringify({ model: 'dall-e-2', prompt: 'x', group: 'default' }),
      );
      expect(((await drawn.json()) as { data: unknown[] }).data).toHaveLength(1);
      expect(world.lastBody()).toEqual({ model: 'dall-e-2', prompt: 'x', n: 1, size: '1024x1024' });
      const row = await rowOf(world.testBed, idOf(drawn));
      expect([row.quota, row.token_name]).toEqual([10_000, 'playground-default']);
      const heard = await asked('/pg/audio/speech', JSON.stringify({ model: 'tts-1', input: 'abc', voice: 'alloy' }));
      expect((await heard.arrayBuffer()).byteLength).toBe(10_000);
      const foreign = await asked(
        '/pg/images/generations',
        JSON.stringify({ model: 'dall-e-2', prompt: 'x', group: 'no' }),
      );
      expect(await refusalOf(foreign)).toMatchObject({ status: 403, code: 'group_not_allowed' });
    });

    it('transcribes speech', async () => {
      const form = new FormData();
      form.append('model', 'whisper-1');
      form.append('file', new File([new Uint8Array(16_000)], 'a.mp3', { type: 'audio/mpeg' }));
      const written = await asked('/pg/audio/transcriptions?group=default', form);
      expect(await written.json()).toMatchObject({ text: expect.stringContaining('w1') });
      expect((await rowOf(world.testBed, idOf(written))).token_name).toBe('playground-default');
    });

    it('requires a session', async () => {
      expect((await fetch(`${world.testBed.url}/pg/audio/speech`, { method: 'POST', body: '{}' })).status).toBe(401);
    });
  });
});
