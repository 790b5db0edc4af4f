import { describe, expect, it } from '@jest/globals';
import { readUntil } from '@tollgate/testing';
import { rowOf } from '../support/relay-site.js';
import { idOf, type MediaWorld, refusalOf } from './media-world.js';

/** Speech made from a text. */
export function describeSpeech(world: MediaWorld): void {
  describe('speech', () => {
    it('is streamed as it arrives, charged by the characters of the text', async () => {
      world.upstream.control({ tokens: 40, tokensPerSecond: 100 });
      const { data, response } = await world.openai.audio.speech
        .create({ model: 'tts-1', voice: 'alloy', input: '你好 gate', response_format: 'wav' })
        .withResponse();
      expect(response.headers.get('content-type')).toBe('audio/wav');
      const reader = data.body?.getReader();
      const first = await reader?.read();
      expect(world.upstream.journal()[0]?.isFinished).toBe(false);
      let bytes = first?.value?.length ?? 0;
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
        bytes += piece.value.length;
      expect(bytes).toBe(40_000);
      const row = await rowOf(world.testBed, idOf(response));
      // 7 characters at 7.5 units
      expect([row.prompt_tokens, row.completion_tokens, row.quota]).toEqual([7, 0, 53]);
      expect([row.is_stream, row.other.usage_source]).toEqual([false, 'requested']);
    });

    it('costs the same as an event stream, and is charged by text tokens for another model', async () => {
      const events = await world.post('/v1/audio/speech', {
        model: 'tts-1',
        voice: 'v',
        input: 'abc',
        stream_format: 'sse',
      });
      expect(await events.text()).toMatch(/speech\.audio\.delta[\s\S]*speech\.audio\.done/);
      expect((await rowOf(world.testBed, idOf(events))).quota).toBe(23);
      const other = await world.post('/v1/audio/speech', {
        model: 'gpt-4o-mini-tts',
        voice: 'v',
        input: 'one two three',
      });
      expect((await other.arrayBuffer()).byteLength).toBe(10_000);
      const row = await rowOf(world.testBed, idOf(other));
      expect([row.prompt_tokens, row.other.usage_source]).toEqual([3, 'estimated']);
    });

    it('breaks off when its upstream does, with that outcome in the log row', async () => {
      world.upstream.control({ tokens: 20, cutAfter: 5, tokensPerSecond: 200 });
      const response = await world.post('/v1/audio/speech', { model: 'tts-1', voice: 'v', input: 'abc' });
      await expect(response.arrayBuffer()).rejects.toThrow();
      const row = await rowOf(world.testBed, idOf(response));
      expect([row.other.outcome, row.quota]).toEqual(['upstream_cut', 23]);
    });

    it('is charged to a client that disconnects, for the part that was delivered', async () => {
      world.upstream.control({ tokens: 500, tokensPerSecond: 50 });
      const leaving = new AbortController();
      const response = await fetch(`${world.testBed.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'tts-1', voice: 'v', input: 'abcd' }),
        signal: leaving.signal,
      });
      await response.body?.getReader().read();
      leaving.abort();
      const row = await rowOf(world.testBed, idOf(response));
      expect([row.other.outcome, row.quota]).toEqual(['client_abort', 30]);
      expect(await readUntil(() => Promise.resolve(world.upstream.journal()[0]?.clientAborted), Boolean)).toBe(true);
    });

    it.each([
      ['no input', { model: 'tts-1' }, 'field input is required'],
      ['an unknown kind of stream', { model: 'tts-1', input: 'x', stream_format: 'raw' }, 'stream_format is invalid'],
    ])('is refused before anybody is asked: %s', async (_, body, message) => {
      expect(await refusalOf(await world.post('/v1/audio/speech', body))).toEqual({
        status: 400,
        code: 'invalid_audio_request',
        message,
      });
      expect(world.upstream.journal()).toEqual([]);
    });

    it.each([
      ['an error', { errorIn200: true }],
      ['a page of a proxy', { contentType: 'text/html; charset=utf-8' }],
    ])('is not sent as audio when the upstream returns %s with status 200', async (_, behaviour) => {
      world.upstream.control(behaviour);
      const response = await world.post('/v1/audio/speech', { model: 'tts-1', input: 'x', voice: 'v' });
      expect([response.status >= 400, response.headers.get('content-type')]).toEqual([
        true,
        expect.stringContaining('json'),
      ]);
      expect((await rowOf(world.testBed, idOf(response))).type).toBe(5);
    });
  });
}
