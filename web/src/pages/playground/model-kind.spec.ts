import { describe, expect, it } from '@jest/globals';
import { kindOf } from './model-kind.js';

describe('kindOf', () => {
  it.each([
    ['gpt-4o', 'chat'],
    ['gpt-4o-audio-preview', 'chat'],
    ['gemini-2.5-flash-image', 'chat'],
    ['dall-e-3', 'picture'],
    ['gpt-image-1', 'picture'],
    ['black-forest-labs/FLUX.1-schnell', 'picture'],
    ['tts-1-hd', 'speech'],
    ['gpt-4o-mini-tts', 'speech'],
    ['whisper-1', 'words'],
    ['gpt-4o-transcribe', 'words'],
  ])('%s makes %s', (model, kind) => {
    expect(kindOf(model)).toBe(kind);
  });
});
