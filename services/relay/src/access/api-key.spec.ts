import { describe, expect, it } from '@jest/globals';
import { apiKeyOf } from './api-key.js';

const KEY = 'a1'.repeat(24);

describe('apiKeyOf', () => {
  it.each([
    ['a bearer with prefix', { authorization: `Bearer sk-${KEY}` }, '/v1/chat/completions'],
    ['a bearer without prefixes', { authorization: KEY }, '/v1/chat/completions'],
    ['a lower-case scheme', { authorization: `bearer sk-${KEY}` }, '/v1/chat/completions'],
    ["Anthropic's header on its path", { 'x-api-key': `sk-${KEY}`, authorization: 'Bearer sk-other' }, '/v1/messages'],
    ["Anthropic's header for models", { 'x-api-key': `sk-${KEY}` }, '/v1/models'],
    ['the drawing header', { 'mj-api-secret': `sk-${KEY}` }, '/mj/submit/imagine'],
    [
      'the drawing header behind a placeholder',
      { authorization: 'Bearer midjourney-proxy', 'mj-api-secret': KEY },
      '/mj/submit/imagine',
    ],
    [
      'a socket protocol',
      { 'sec-websocket-protocol': `realtime, openai-insecure-api-key.sk-${KEY}, openai-beta.realtime-v1` },
      '/v1/realtime',
    ],
  ])('reads %s', (_, headers, path) => {
    expect(apiKeyOf(headers as Record<string, string>, path)).toEqual({ key: KEY, wellFormed: true });
  });

  it.each(['12', '12-x', '12-'])('splits off the channel that an administrator names by -%s, and no more', (rest) => {
    expect(apiKeyOf({ authorization: `Bearer sk-${KEY}-${rest}` }, '/v1/chat/completions')).toEqual({
      key: KEY,
      wellFormed: true,
      channel: '12',
    });
  });

  it.each(['', '-1', '-'])('takes the empty part after a dash for a channel that is none: -%s', (rest) => {
    expect(apiKeyOf({ authorization: `Bearer sk-${KEY}-${rest}` }, '/v1/chat/completions')).toEqual({
      key: KEY,
      wellFormed: true,
      channel: '',
    });
  });

  it('marks a key that cannot be one of ours', () => {
    expect(apiKeyOf({ authorization: 'Bearer sk-short' }, '/v1/x')?.wellFormed).toBe(false);
    expect(apiKeyOf({ authorization: 'Bearer ' }, '/v1/x')).toBeUndefined();
    expect(apiKeyOf({ authorization: 'Bearer' }, '/v1/x')).toBeUndefined();
    expect(apiKeyOf({ 'x-api-key': KEY }, '/v1/chat/completions')).toBeUndefined();
  });
});
