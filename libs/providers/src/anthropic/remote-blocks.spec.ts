import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { Json, JsonObject, UpstreamRequest } from '../adapter.js';
import { findProvider } from '../registry.js';
import { insecureBlocks, remoteBlocks } from './remote-blocks.js';

const requestOf = (content: Json): UpstreamRequest => ({
  method: 'POST',
  url: 'http://x',
  headers: {},
  body: Buffer.from(JSON.stringify({ max_tokens: 9, messages: [{ role: 'user', content }] }, null, 1)),
});
const image = (source: JsonObject): JsonObject => ({ type: 'image', source, cache_control: { type: 'ephemeral' } });
const ADDRESS = 'https://x.example/a.png';
const INSECURE = 'http://x.example/a.png';
const remote = image({ type: 'url', url: ADDRESS });
const inline = image({ type: 'base64', media_type: 'image/png', data: 'AQ==' });
const result = (content: Json): JsonObject => ({ type: 'tool_result', tool_use_id: 't', content });

describe('remoteBlocks', () => {
  it('names an address as often as it stands there, also in results of tools, and puts what is found in its place', () => {
    const media = remoteBlocks(requestOf([{ type: 'text', text: 'What?' }, remote, result([remote]), inline]));
    expect(media?.urls).toEqual([ADDRESS, ADDRESS]);
    const { body } = media?.inlined(new Map([[ADDRESS, 'data:image/png;base64,AQ==']])) ?? {};
    expect(JSON.parse(String(body))).toEqual({
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What?' }, inline, result([inline]), inline] }],
    });
  });

  it.each<[string, Json]>([
    ['words alone', 'hi "url"'],
    ['data alone', [inline]],
    ['an address that is no media', [{ type: 'text', text: '"url"', url: ADDRESS }]],
  ])('has nothing to do for %s', (_, content) => expect(remoteBlocks(requestOf(content))).toBeUndefined());

  it('is what Claude needs at Amazon and at Google, whatever dialect its client speaks, at Anthropic over http', () => {
    const asked = [ADDRESS, INSECURE].map((url) => ({ type: 'image_url', image_url: { url } }));
    const request = clientRequest({
      model: 'claude-3-7-sonnet-20250219',
      messages: [{ role: 'user', content: asked }],
    });
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const account = { project_id: 'p', private_key: privateKey, client_email: 'a@b' };
    const urlsAt = (channelType: number, key: string): readonly string[] | undefined => {
      const provider = findProvider(channelType);
      const model = 'claude-3-7-sonnet-20250219';
      const target = channelTarget({ channelType, key, model, requestedModel: model, other: 'us-central1' });
      const sent = provider?.chat?.toUpstream(request, target);
      return sent && provider?.remoteMedia?.(sent, 'openai')?.urls;
    };
    expect(urlsAt(33, 'ak|sk|us-east-1')).toEqual([ADDRESS, INSECURE]);
    expect(urlsAt(41, JSON.stringify(account))).toEqual([ADDRESS, INSECURE]);
    expect(urlsAt(14, 'k')).toEqual([INSECURE]);
  });
});

describe('insecureBlocks', () => {
  const over = (url: string): JsonObject => image({ type: 'url', url });
  const written = (content: Json): UpstreamRequest => ({
    ...requestOf(content),
    body: Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }] })),
  });

  it('leaves addresses to Anthropic that it fetches itself', () => {
    const media = insecureBlocks(written([over(ADDRESS), over(INSECURE)]), 'openai');
    const { body } = media?.inlined(new Map([[INSECURE, 'data:image/png;base64,AQ==']])) ?? {};
    expect(JSON.parse(String(body))).toMatchObject({ messages: [{ content: [over(ADDRESS), inline] }] });
    expect(insecureBlocks(written([over(ADDRESS)]), 'openai')).toBeUndefined();
  });

  it("leaves the bytes of Anthropic's own clients as they are", () => {
    expect(insecureBlocks(written([over(INSECURE)]), 'anthropic')).toBeUndefined();
  });
});
