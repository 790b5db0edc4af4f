import { describe, expect, it } from '@jest/globals';
import { served } from './families.js';

const of = (...names: string[]) => served(names.map((model_name) => ({ model_name })));

describe('popular models', () => {
  it('are the served models, by family', () => {
    expect(of('claude-3-haiku', 'gpt-4o', 'gpt-4o-mini', 'unheard-of')).toEqual([
      { family: 'gpt', models: ['gpt-4o-mini', 'gpt-4o'] },
      { family: 'claude', models: ['claude-3-haiku'] },
    ]);
    expect(of()).toEqual([]);
  });

  it('are listed once, by purpose rather than by provider', () => {
    expect(of('gpt-image-1', 'gpt-4o-mini-tts', 'text-embedding-3-small', 'gemini-embedding-001', 'o3-mini')).toEqual([
      { family: 'reasoning', models: ['o3-mini'] },
      { family: 'picture', models: ['gpt-image-1'] },
      { family: 'sound', models: ['gpt-4o-mini-tts'] },
      { family: 'embedding', models: ['text-embedding-3-small', 'gemini-embedding-001'] },
    ]);
  });
});
