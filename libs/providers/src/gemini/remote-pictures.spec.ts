import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { Dialect, JsonObject, RemoteMedia } from '../adapter.js';
import { findProvider } from '../registry.js';

const PICTURE = 'https://x.example/a.png';
const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } });
const file = (url: string): JsonObject => ({ type: 'file', file: { file_data: url } });
const video = (url: string): JsonObject => ({ type: 'video_url', video_url: { url } });

function mediaOf(content: JsonObject[], client: Dialect = 'openai', channelType = 24): RemoteMedia | undefined {
  const provider = findProvider(channelType);
  const target = channelTarget({ channelType, key: 'k', model: 'gemini-2.0-flash' });
  const request = provider?.chat?.toUpstream(clientRequest({ messages: [{ role: 'user', content }] }), target);
  return request && provider?.remoteMedia?.(request, client);
}

describe('the pictures of a request to Gemini that are addresses', () => {
  it('are named as often as they stand there, and put in their place where they are found', () => {
    const media = mediaOf([
      image(PICTURE),
      { type: 'text', text: 'What?' },
      image('http://x.example/b'),
      image(PICTURE),
    ]);
    expect(media).toMatchObject({ urls: [PICTURE, 'http://x.example/b', PICTURE], isOptional: true });
    const found = new Map([
      [PICTURE, 'data:image/png;base64,AQ=='],
      ['http://x.example/b', 'data:image/gif;base64,Ag=='],
    ]);
    const png = { inlineData: { mimeType: 'image/png', data: 'AQ==' } };
    expect(JSON.parse(String(media?.inlined(found).body))).toMatchObject({
      contents: [
        { role: 'user', parts: [png, { text: 'What?' }, { inlineData: { mimeType: 'image/gif', data: 'Ag==' } }, png] },
      ],
    });
  });

  it.each<[string, JsonObject]>([
    ['data', image('data:image/png;base64,AQ==')],
    ['a file that was uploaded to Google', image('https://generativelanguage.googleapis.com/v1beta/files/abc')],
    ['an object in a bucket', image('gs://bucket/a.png')],
    ['a film at YouTube', image('https://www.youtube.com/watch?v=abc')],
    ['a document', file('https://x.example/report')],
    ['a film', video('https://x.example/film')],
  ])('do not include %s', (_, part) => expect(mediaOf([part])).toBeUndefined());

  it("are left as they are for Google's own clients", () => {
    expect(mediaOf([image(PICTURE)], 'gemini')).toBeUndefined();
  });
});
