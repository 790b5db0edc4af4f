import { describe, expect, it } from '@jest/globals';
import type { JsonObject, UpstreamRequest } from '../adapter.js';
import { remoteImages } from './remote-images.js';

const requestOf = (content: unknown): UpstreamRequest => ({
  method: 'POST',
  url: 'http://x',
  headers: {},
  body: Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], seed: 7 })),
});
const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url, detail: 'low' } });

describe('remoteImages', () => {
  it('names an address as often as it stands there, and puts what is found in its place', () => {
    const content = [
      { type: 'text', text: 'What?' },
      image('https://x.example/a.png'),
      image('data:image/png;base64,AA=='),
      { type: 'image_url', image_url: 'https://x.example/a.png' },
    ];
    const media = remoteImages(requestOf(content));
    expect(media?.urls).toEqual(['https://x.example/a.png', 'https://x.example/a.png']);
    const data = 'data:image/png;base64,AQ==';
    const { body } = media?.inlined(new Map([['https://x.example/a.png', data]])) ?? {};
    expect(JSON.parse(String(body))).toEqual({
      model: 'm',
      seed: 7,
      messages: [
        {
          role: 'user',
          content: [content[0], image(data), content[2], { type: 'image_url', image_url: { url: data } }],
        },
      ],
    });
  });

  it.each([
    ['words alone', 'hi'],
    ['data alone', [image('data:image/png;base64,AA==')]],
  ])('has nothing to do for %s', (_, content) => {
    expect(remoteImages(requestOf(content))).toBeUndefined();
  });
});
