import { describe, expect, it } from '@jest/globals';
import { type Json, type JsonObject, lazyObject, requestMembers, scanObject } from '@tollgate/providers';
import type { RequestBound } from './bound.js';
import { type BoundedRequest, boundSentAs, requestBound } from './request-bound.js';

const boundOf = (json: JsonObject, fields: Partial<BoundedRequest> = {}): RequestBound =>
  requestBound({ json, size: JSON.stringify(json).length, endpoint: 'chat', models: ['gpt-4o'], ...fields });
const withParts = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });
const DATA = 'A'.repeat(1_000_000);
const PHOTO = `data:image/png;base64,${DATA}`;
/** The context window of gpt-4o. */
const seen = { tokens: 131_072, isHeard: false };
const heard = { ...seen, isHeard: true };

describe('requestBound', () => {
  it('counts every byte of a text as a token, and the longest answer of the model', () => {
    const json = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
    expect(boundOf(json)).toEqual({
      prompt: { textTokens: JSON.stringify(json).length, imageTokens: 0, audioTokens: 0 },
      ...{ choices: 1, limit: 0, maximum: 16_384, minimum: 1, predicted: 0 },
    });
  });

  it.each<[string, BoundedRequest['endpoint'], JsonObject, number]>([
    ['n', 'chat', { n: 7 }, 7],
    ['n as a text', 'chat', { n: '7' }, 7],
    ['best_of', 'completions', { prompt: 'x', n: 2, best_of: 5 }, 5],
    ['prompts', 'completions', { prompt: ['a', 'b', 'c'] }, 3],
    ['prompts, each n times', 'completions', { prompt: ['a', 'b', 'c'], n: 4 }, 12],
    ['prompts of token ids', 'completions', { prompt: [[1, 2], [3]] }, 2],
    ['one prompt of token ids', 'completions', { prompt: [1, 2, 3] }, 1],
    ['no such member in this dialect', 'messages', { n: 7 }, 1],
    ['more than numbers hold', 'chat', { n: 1e308 }, 1e9],
  ])('counts answers by %s', (_, endpoint, json, choices) => {
    expect(boundOf(json, { endpoint }).choices).toBe(choices);
  });

  it.each<[string, JsonObject, JsonObject[], Partial<RequestBound>]>([
    ['a higher limit', { max_tokens: 10 }, [{ max_tokens: 400 }], { limit: 400 }],
    ['one above the published maximum', { max_tokens: 10 }, [{}, { max_completion_tokens: 99_000 }], { limit: 99_000 }],
    ['a lower one on one of two', { max_tokens: 50 }, [{ max_tokens: 5 }, {}], { limit: 50 }],
    ['a limit on one of two', {}, [{ max_tokens: 99_000 }, {}], { limit: 0, maximum: 99_000 }],
    ['no limit any more', { max_tokens: 10 }, [{ max_tokens: null }], { limit: 0, maximum: 16_384 }],
    [
      'the override of a Gemini channel',
      { max_tokens: 10 },
      [{ generationConfig: { maxOutputTokens: 400, candidateCount: 3 } }],
      { limit: 400, choices: 3 },
    ],
    ['more answers', { max_tokens: 10, n: 2 }, [{ N: 6 }, { temperature: 0 }], { choices: 6 }],
  ])('is what the channels make of it: %s', (_, json, overrides, expected) => {
    expect(boundOf(json, { overrides })).toMatchObject(expected);
    expect(boundOf(json, { overrides, endpoint: 'messages' })).toEqual(boundOf(json, { endpoint: 'messages' }));
  });

  it.each<[string, JsonObject, Partial<RequestBound>]>([
    ['a limit under the name of chat', { max_tokens: 400 }, { limit: 400, choices: 1 }],
    ['a limit under the name of responses', { max_output_tokens: 5 }, { limit: 5 }],
    ['both', { max_output_tokens: 5, max_tokens: 400 }, { limit: 400 }],
    ['one, and no limit under the other', { max_output_tokens: null, max_tokens: 400 }, { limit: 0, maximum: 16_384 }],
    ['more answers', { n: 3 }, { limit: 10, choices: 3 }],
    ['more candidates', { generationConfig: { candidateCount: 3 } }, { limit: 10, choices: 3 }],
  ])('is for responses what channels of any dialect make of it: %s', (_, override, expected) => {
    const json = { input: 'x', max_output_tokens: 10, n: 9 };
    expect(boundOf(json, { overrides: [override], endpoint: 'responses' })).toMatchObject(expected);
    expect(boundOf(json, { endpoint: 'responses' })).toMatchObject({ limit: 10, choices: 1 });
  });

  it("ignores the client's limit where a channel omits it", () => {
    const heedsNoLimit = true;
    expect(boundOf({ max_tokens: 10 }, { heedsNoLimit })).toMatchObject({ limit: 0, maximum: 16_384 });
    expect(boundOf({ max_tokens: 99_000 }, { heedsNoLimit })).toMatchObject({ limit: 0, maximum: 99_000 });
    expect(boundOf({ max_tokens: 10 }, { heedsNoLimit, endpoint: 'completions' })).toMatchObject({ limit: 10 });
  });

  it('covers how upstreams read a body that is forwarded byte for byte', () => {
    const photo = { content: [{ type: 'image', image: DATA }] };
    const readings = [{ max_tokens: 700, n: 3 }, { messages: [photo] }];
    const json = { max_tokens: 10, n: 2, contents: DATA };
    expect(boundOf(json, { readings })).toMatchObject({ limit: 0, choices: 3, prompt: { imageTokens: 5000 } });
    expect(boundOf(json, { readings: [{ max_tokens: 700 }] })).toMatchObject({ limit: 700, choices: 2 });
  });

  it('notes whether the client or a channel requests a one-hour cache', () => {
    const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
    const json = withParts({ type: 'text', text: 'x' });
    expect(boundOf(json).prompt).not.toHaveProperty('hourCache');
    expect(boundOf(withParts({ type: 'text', text: 'x', ...hour })).prompt.hourCache).toBe(true);
    expect(
      boundOf(json, { overrides: [{}, { system: [{ type: 'text', text: 's', ...hour }] }] }).prompt.hourCache,
    ).toBe(true);
  });

  it('reads the dialect of Gemini in both of its spellings', () => {
    const bound = (json: JsonObject) => boundOf(json, { endpoint: 'gemini', models: ['gemini-2.0-flash'] });
    const picture = { mimeType: 'image/png', data: 'A'.repeat(8000) };
    const contents = [{ parts: [{ text: 'x' }, { inlineData: picture }] }];
    const config = { maxOutputTokens: 9, candidateCount: 2 };

    expect(bound({ contents, generationConfig: config })).toMatchObject({
      ...{ limit: 9, choices: 2 },
      prompt: { imageTokens: 5000, textTokens: JSON.stringify({ contents, generationConfig: config }).length - 8000 },
    });
    expect(bound({ contents, generation_config: { max_output_tokens: 9, candidate_count: 2 } })).toMatchObject({
      limit: 9,
      choices: 2,
    });
    expect(bound({ contents })).toMatchObject({ limit: 0, maximum: 8192, choices: 1 });
    const remote = { mimeType: 'application/pdf', fileUri: 'gs://b/x.pdf' };
    expect(bound({ contents: [{ parts: [{ file_data: remote }] }] }).prompt.imageTokens).toBe(200_000);
    const answered = { functionResponse: { name: 'f', parts: [{ fileData: remote }] } };
    expect(bound({ contents: [{ parts: [answered] }] }).prompt.imageTokens).toBe(200_000);
    expect(bound({ contents: [], tools: [{ functionDeclarations: [] }] }).prompt.textTokens).toBeGreaterThan(1000);
  });

  it('counts a picture in the text of an earlier answer as a picture as well', () => {
    const text = `Here: ![image](data:image/png;base64,iVBORw0KGgoA${DATA})`;
    const picturesOf = (role: string, content: Json): number => {
      const bytes = Buffer.from(JSON.stringify({ messages: [{ role, content }] }));
      const json = lazyObject(bytes, scanObject(bytes, requestMembers), () => {
        throw new Error('parsed');
      });
      const { prompt } = requestBound({ json, size: bytes.length, endpoint: 'chat', models: ['gpt-4o'] });
      expect(prompt.textTokens).toBe(bytes.length);
      return prompt.imageTokens / 5000;
    };
    expect(picturesOf('assistant', text + text)).toBe(2);
    expect(picturesOf('assistant', [{ type: 'text', text }])).toBe(1);
    expect(picturesOf('assistant', [{ type: 'refusal', refusal: text }])).toBe(1);
    expect(picturesOf('assistant', [{ type: 'document', source: { type: 'text', data: text } }])).toBe(1);
    expect(picturesOf('assistant', [{ type: 'search_result', source: 'x', content: [{ type: 'text', text }] }])).toBe(
      1,
    );
    expect(picturesOf('user', text)).toBe(0);
    expect(picturesOf('assistant', text.replace('base64,', 'base64, '))).toBe(0);
    expect(picturesOf('assistant', `Here: ![image](${PHOTO})`)).toBe(0);
  });

  it('counts an earlier picture of a response as one, and not by its bytes', () => {
    const json = { input: [{ type: 'image_generation_call', result: DATA }] };
    const { prompt } = boundOf(json, { endpoint: 'responses' });
    expect(prompt).toMatchObject({ imageTokens: 5000, textTokens: JSON.stringify(json).length - DATA.length });
  });

  it('counts it as a picture alone where every channel converts it', () => {
    const shown = `![image](data:image/png;base64,iVBORw0KGgoA${DATA})`;
    const savedOf = (role: string, content: Json, convertsPictureTexts = true): unknown[] => {
      const json = { messages: [{ role, content }] };
      const { prompt } = boundOf(json, { convertsPictureTexts });
      return [JSON.stringify(json).length - prompt.textTokens, prompt.imageTokens];
    };
    expect(savedOf('assistant', `Here: ${shown}`)).toEqual([shown.length, 5000]);
    expect(savedOf('assistant', [{ type: 'text', text: shown }])).toEqual([shown.length, 5000]);
    expect(savedOf('assistant', [{ type: 'refusal', refusal: shown }])).toEqual([0, 5000]);
    expect(savedOf('user', shown)).toEqual([0, 0]);
    expect(savedOf('assistant', shown, false)).toEqual([0, 5000]);
  });

  it.each<[string, Json]>([
    ['text', `![image](data:image/png;base64,iVBORw0KGgoA${DATA})`],
    ['parts', [{ type: 'output_text', text: `![image](data:image/png;base64,iVBORw0KGgoA${DATA})` }]],
  ])('counts a picture in the %s of an earlier response as a picture as well', (_, content) => {
    const json = { input: [{ role: 'assistant', content }] };
    const { prompt } = boundOf(json, { endpoint: 'responses' });
    expect(prompt).toMatchObject({ imageTokens: 5000, textTokens: JSON.stringify(json).length });
  });

  it('expects no output of an embedding, however many texts', () => {
    const json = { input: ['a', 'b'] };
    expect(boundOf(json, { endpoint: 'embeddings' })).toMatchObject({ choices: 1, limit: 0, maximum: 0, minimum: 0 });
  });

  it.each<[string, JsonObject, RequestBound['prompt']['imageTokens'], number]>([
    ['a photo', { type: 'image_url', image_url: { url: PHOTO } }, 5000, 0],
    ['a photo as a plain address', { type: 'image_url', image_url: PHOTO }, 5000, 0],
    ['a photo of Anthropic', { type: 'image', source: { type: 'base64', data: DATA } }, 5000, 0],
    ['sound', { type: 'input_audio', input_audio: { data: DATA, format: 'mp3' } }, 0, 31_250],
    ['a document', { type: 'document', source: { type: 'base64', data: DATA } }, 1_000_000, 0],
    ['a file', { type: 'file', file: { file_data: DATA } }, 1_000_000, 0],
    ['a film', { type: 'video_url', video_url: { url: `data:video/mp4;base64,${DATA}` } }, 67_502, 0],
    [
      'a photo in the result of a tool',
      { type: 'tool_result', content: [{ type: 'image', source: { data: DATA } }] },
      5000,
      0,
    ],
  ])('counts %s by its kind and not by its bytes', (_, part, imageTokens, audioTokens) => {
    const { prompt } = boundOf(withParts(part));
    expect(prompt).toMatchObject({ imageTokens, audioTokens });
    expect(prompt.textTokens).toBeLessThan(300);
  });

  it.each<[string, JsonObject]>([
    ['in a text', { type: 'text', text: PHOTO }],
    ['in a part of no known kind', { type: 'note', image_url: { url: PHOTO } }],
    ['beside the picture', { type: 'image_url', image_url: { url: 'https://x/y.png' }, text: PHOTO }],
    ['as a document that is text', { type: 'document', source: { type: 'text', data: PHOTO } }],
  ])('counts data as text where it is %s', (_, part) => {
    expect(boundOf(withParts(part)).prompt.textTokens).toBeGreaterThan(1_000_000);
  });

  it('counts data in a tool as text, whatever its members are called', () => {
    const json = { messages: [], tools: [{ content: [{ type: 'image_url', image_url: { url: PHOTO } }] }] };
    expect(boundOf(json).prompt).toMatchObject({ imageTokens: 0 });
    expect(boundOf(json).prompt.textTokens).toBeGreaterThan(1_000_000);
  });

  it('covers what media given by URL may count for', () => {
    const url = 'https://example.org/x';
    const json = withParts(
      { type: 'image_url', image_url: { url } },
      { type: 'file', file: { file_id: 'file-1' } },
      { type: 'video_url', video_url: { url } },
      { type: 'audio_url', audio_url: { url } },
    );
    expect(boundOf(json).prompt).toMatchObject({ imageTokens: 5000 + 200_000 + 80_000, audioTokens: 20_000 });
  });

  it.each<[string, BoundedRequest['endpoint'], JsonObject, RequestBound['remote']]>([
    ['a picture', 'chat', withParts({ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }), undefined],
    ['a file as data', 'chat', withParts({ type: 'file', file: { file_data: DATA } }), undefined],
    ['a file by its id', 'chat', withParts({ type: 'file', file: { file_id: 'file-1' } }), seen],
    ['a film', 'chat', withParts({ type: 'video_url', video_url: { url: 'https://x.example/a' } }), heard],
    ['sound', 'chat', withParts({ type: 'audio_url', audio_url: { url: 'https://x.example/a' } }), heard],
    ['a spoken answer by its id', 'chat', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }, heard],
    [
      'a document',
      'messages',
      withParts({ type: 'document', source: { type: 'url', url: 'https://x.example/a' } }),
      seen,
    ],
    [
      'a file of Gemini',
      'gemini',
      { contents: [{ parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'x' } }] }] },
      heard,
    ],
    ['a file of a response', 'responses', { input: [{ content: [{ type: 'input_file', file_id: 'file-1' }] }] }, seen],
    ['a picture to embed', 'embeddings', { input: [{ image: 'https://x.example/a.png' }, { text: 'x' }] }, seen],
    ['a text to embed', 'embeddings', { input: ['x', { text: 'x' }] }, undefined],
    ['a picture to rank', 'rerank', { query: 'x', documents: ['y', { image: 'https://x.example/a.png' }] }, seen],
    [
      'a film to embed',
      'embedContents',
      { requests: [{ content: { parts: [{ fileData: { mimeType: 'video/mp4', fileUri: 'x' } }] } }] },
      heard,
    ],
  ])('allows a window for media of unknown length: %s', (_, endpoint, json, remote) => {
    expect(boundOf(json, { endpoint }).remote).toEqual(remote);
  });

  it('covers a picture to be embedded, and an earlier spoken answer', () => {
    const pictures = { input: [{ image: DATA }, { image: 'https://x.example/a.png' }, { text: 'x' }] };
    const { prompt } = boundOf(pictures, { endpoint: 'embeddings', models: ['jina-clip-v2'] });
    expect([prompt.imageTokens, prompt.textTokens < 200]).toEqual([40_000, true]);
    const spoken = {
      messages: [
        { role: 'assistant', audio: { id: 'audio_1' } },
        { role: 'user', content: 'and then?' },
      ],
    };
    expect(boundOf(spoken).prompt.audioTokens).toBe(2000);
  });

  it('covers the context that only some channels have', () => {
    const agent = boundOf({ messages: [] }, { hasOwnContext: true });
    expect(agent.ownContext).toBe(1_050_000);
    expect(boundSentAs(agent, 'gpt-4o', true)).toBe(agent);
    expect(boundSentAs(agent, 'gpt-4o')).toEqual(boundOf({ messages: [] }));
    expect(boundOf({ input: 'x' }, { endpoint: 'embeddings', hasOwnContext: true })).not.toHaveProperty('ownContext');
  });

  it('goes by the most expensive name that a channel has for the model', () => {
    const { prompt, maximum } = boundOf(withParts({ type: 'image_url', image_url: PHOTO }), {
      models: ['gpt-4o', 'gpt-4o-mini', 'o3'],
    });
    expect([prompt.imageTokens, maximum]).toEqual([48_169, 100_000]);
  });

  it('covers what providers add for tools, and a prediction that may be wrong', () => {
    const json = { tools: [{ type: 'function' }], prediction: { type: 'content', content: 'x'.repeat(500) } };
    const { prompt, predicted } = boundOf(json);
    expect(prompt.textTokens).toBe(JSON.stringify(json).length + 1000);
    expect(predicted).toBeGreaterThan(500);
  });

  it('leaves room for thinking, which a smaller limit would forbid', () => {
    expect(boundOf({ thinking: { type: 'enabled', budget_tokens: 4000 } }).minimum).toBe(4001);
    expect(boundOf({ max_tokens: 10 }, { models: ['claude-3-7-sonnet-thinking'] })).toMatchObject({
      limit: 1280,
      minimum: 1280,
    });
  });
});
