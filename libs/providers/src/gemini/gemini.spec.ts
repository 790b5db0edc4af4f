import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import type { ChannelTarget, ClientRequest, JsonObject } from '../adapter.js';
import { gemini } from '../upstreams/gemini.js';

const target = (details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 24, model: 'gemini-2.5-flash', key: 'AIza', ...details });
const settings = (details: Partial<ChannelTarget['settings']['gemini']>): ChannelTarget['settings'] => {
  const { settings: plain } = target();
  return { ...plain, gemini: { ...plain.gemini, ...details } };
};
const bodyOf = ({ body }: { body?: Buffer }): JsonObject => JSON.parse(body?.toString() ?? '') as JsonObject;
const chat = (json: JsonObject, details: Partial<ChannelTarget> = {}, outputLimit?: number): JsonObject => {
  const request = clientRequest(json, outputLimit === undefined ? {} : { outputLimit });
  return bodyOf(gemini.chat.toUpstream(request, target(details)));
};
const user = { role: 'user', content: 'hi' };

describe('a chat request to Gemini', () => {
  it('goes to the method of its model, by the version of the settings or of the channel', () => {
    const urlOf = (json: JsonObject, details: Partial<ChannelTarget> = {}) =>
      gemini.chat.toUpstream(clientRequest(json), target(details)).url;
    const base = 'https://generativelanguage.googleapis.com';

    expect(urlOf({ messages: [user] })).toBe(`${base}/v1beta/models/gemini-2.5-flash:generateContent`);
    expect(urlOf({ messages: [user], stream: true })).toMatch(/gemini-2.5-flash:streamGenerateContent\?alt=sse$/);
    expect(urlOf({ messages: [user] }, { model: 'gemini-1.0-pro' })).toContain('/v1/models/gemini-1.0-pro:');
    expect(urlOf({ messages: [user] }, { other: 'v1alpha', baseUrl: 'http://own/' })).toMatch(
      /^http:\/\/own\/v1alpha\//,
    );
    expect(gemini.chat.toUpstream(clientRequest({ messages: [user] }), target()).headers['x-goog-api-key']).toBe(
      'AIza',
    );
  });

  it('has the system apart, the limits and the sampling in its own names, and the safety of the settings', () => {
    const json = {
      messages: [{ role: 'system', content: 'a' }, { role: 'developer', content: 'b' }, user],
      ...{ temperature: 0, top_p: 0.5, top_k: 4, seed: 1, n: 2, stop: 'END', max_tokens: 9 },
    };
    const { safetySettings, ...rest } = chat(json);

    expect(rest).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { parts: [{ text: 'a\nb' }] },
      generationConfig: {
        ...{ temperature: 0, topP: 0.5, topK: 4, seed: 1, candidateCount: 2 },
        ...{ stopSequences: ['END'], maxOutputTokens: 9 },
      },
    });
    expect(safetySettings).toEqual([
      { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' },
      { category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'OFF' },
      { category: 'HARM_CATEGORY_SEXUALLY_EXPLICIT', threshold: 'OFF' },
      { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'OFF' },
      { category: 'HARM_CATEGORY_CIVIC_INTEGRITY', threshold: 'BLOCK_NONE' },
    ]);
  });

  it('never allows more than the quota pays for, whatever client and channel say', () => {
    const limitOf = (json: JsonObject): unknown => (json.generationConfig as JsonObject | undefined)?.maxOutputTokens;
    const override = { paramOverride: { generationConfig: { maxOutputTokens: 500 } } };

    expect(limitOf(chat({ messages: [user], max_tokens: 9 }, {}, 5))).toBe(5);
    expect(limitOf(chat({ messages: [user] }, {}, 5))).toBe(5);
    expect(limitOf(chat({ messages: [user] }, override))).toBe(500);
    expect(limitOf(chat({ messages: [user] }, override, 5))).toBe(5);
  });

  it('has the override of the channel over each member of its settings, and keeps the others', () => {
    const override = { paramOverride: { generationConfig: { topK: 3 } } };
    expect(chat({ messages: [user], temperature: 0.5, top_k: 9 }, override).generationConfig).toEqual({
      temperature: 0.5,
      topK: 3,
    });
  });

  it('names the tool of each result and keeps parallel calls together', () => {
    const calls = [
      { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
      { id: 'b', type: 'function', function: { name: 'time', arguments: '' } },
    ];
    const messages = [
      user,
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'a', content: '{"sky":"blue"}' },
      { role: 'tool', tool_call_id: 'b', content: 'noon' },
    ];
    const parameters = {
      type: 'object',
      additionalProperties: false,
      properties: {
        city: { type: ['string', 'null'], format: 'city', default: 'Ulm' },
        day: { type: 'string', format: 'date-time' },
      },
    };
    const tools = [
      { type: 'function', function: { name: 'weather', parameters } },
      { type: 'function', function: { name: 'time', parameters: { type: 'object', properties: {} } } },
    ];

    expect(chat({ messages, tools, tool_choice: 'required' })).toMatchObject({
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        {
          role: 'model',
          parts: [
            { functionCall: { name: 'weather', args: { city: 'Ulm' } } },
            { functionCall: { name: 'time', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'weather', response: { name: 'weather', content: { sky: 'blue' } } } },
            { functionResponse: { name: 'time', response: { name: 'time', content: 'noon' } } },
          ],
        },
      ],
      tools: [
        {
          functionDeclarations: [
            {
              name: 'weather',
              parameters: {
                type: 'object',
                properties: { city: { type: 'string', nullable: true }, day: { type: 'string', format: 'date-time' } },
              },
            },
            { name: 'time' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  it('has the results of one function in the order of their calls, by which Gemini pairs them', () => {
    const call = (id: string, city: string): JsonObject => ({
      ...{ id, type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city }) } },
    });
    const result = (id: string, content: string): JsonObject => ({ role: 'tool', tool_call_id: id, content });
    const responsesOf = (...results: JsonObject[]): unknown[] => {
      const calls = [call('a', 'Ulm'), call('b', 'Bonn')];
      const messages = [user, { role: 'assistant', content: null, tool_calls: calls }, ...results];
      const { parts } = (chat({ messages }).contents as { parts: JsonObject[] }[]).at(-1) ?? { parts: [] };
      return parts.map(
        ({ functionResponse, text }) => text ?? (functionResponse as { response: JsonObject }).response.content,
      );
    };

    expect(responsesOf(result('b', 'rain'), result('a', 'sun'), user)).toEqual(['sun', 'rain', 'hi']);
    expect(responsesOf(result('a', 'sun'), result('b', 'rain'))).toEqual(['sun', 'rain']);
    expect(responsesOf(result('a', '[1,{"sky":"blue"}]'), result('b', '[1'))).toEqual([[1, { sky: 'blue' }], '[1']);
    expect(responsesOf(result('a', '{"x":1}'), result('b', '12345678901234567890'))).toEqual([
      { x: 1 },
      '12345678901234567890',
    ]);
  });

  it('inlines media, names addresses, and refuses what it must', () => {
    const image = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } });
    const content = [
      image('data:image/webp;base64,AA=='),
      image('data:image/jpg;base64,iVBORw0KGgoAAAANSUhEUg=='),
      image('https://images.example/cat.png?x=1'),
      { type: 'input_audio', input_audio: { data: 'BB==', format: 'mp3' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,CC==' } },
    ];
    const parts = ((chat({ messages: [{ role: 'user', content }] }).contents as JsonObject[])[0] ?? {}).parts;

    expect(parts).toEqual([
      { inlineData: { mimeType: 'image/webp', data: 'AA==' } },
      { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' } },
      { fileData: { mimeType: 'image/png', fileUri: 'https://images.example/cat.png?x=1' } },
      { inlineData: { mimeType: 'audio/mp3', data: 'BB==' } },
      { inlineData: { mimeType: 'application/pdf', data: 'CC==' } },
    ]);
    const many = Array.from({ length: 17 }, () => image('data:image/png;base64,AA=='));
    expect(() => chat({ messages: [{ role: 'user', content: many }] })).toThrow(
      'too many images in the message, max allowed is 16',
    );
    const { maxImages: _, ...unbounded } = channelTarget().settings.gemini;
    const settings = { ...channelTarget().settings, gemini: unbounded };
    expect(() => chat({ messages: [{ role: 'user', content: many }] }, { settings })).not.toThrow();
    expect(() => chat({ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] })).toThrow(
      'only base64 file is supported in gemini',
    );
  });

  it.each<[string, JsonObject, JsonObject | undefined]>([
    ['gemini-2.5-flash-thinking', { max_tokens: 1000 }, { thinkingBudget: 600, includeThoughts: true }],
    ['gemini-2.5-flash-thinking', {}, { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-flash-thinking', { max_tokens: 50_000 }, { includeThoughts: true }],
    ['gemini-2.5-flash-nothinking', { max_tokens: 1000 }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', { max_tokens: 1000 }, undefined],
  ])('of %s thinks as the suffix says, once the operator allows it', (model, members, expected) => {
    const details = { model, settings: settings({ thinkingAdapterEnabled: true }) };
    const request = gemini.chat.toUpstream(clientRequest({ messages: [user], ...members }), target(details));
    const configOf = (json: JsonObject): unknown => (json.generationConfig as JsonObject | undefined)?.thinkingConfig;

    expect(request.url).toContain('/models/gemini-2.5-flash:generateContent');
    expect(configOf(bodyOf(request))).toEqual(expected);
    expect(gemini.chat.toUpstream(clientRequest({ messages: [user] }), target({ model })).url).toContain(`/${model}:`);
  });

  it.each<[string, number, number | undefined]>([
    ['gemini-2.5-flash', 31_999, 24_576],
    ['gemini-2.5-flash', 100, 100],
    ['gemini-2.5-flash-lite', 100, 512],
    ['gemini-2.5-flash-lite', 31_999, 24_576],
    ['gemini-2.5-pro', 31_999, 31_999],
    ['gemini-2.5-pro', 60_000, 32_768],
    ['gemini-2.5-pro', 1, 128],
    ['gemini-2.0-flash', 1024, undefined],
  ])('asks %s to think within its limits: %s as %s', (model, budget, expected) => {
    const thinking = { type: 'enabled', budget_tokens: budget };
    expect(chat({ messages: [user], thinking }, { model }).generationConfig).toEqual(
      expected && { thinkingConfig: { thinkingBudget: expected, includeThoughts: true } },
    );
  });

  it('wants pictures of the models that draw, and JSON by schema', () => {
    const schema = { type: 'object', title: 'T', properties: { x: { type: 'integer' } }, additionalProperties: false };
    const format = { type: 'json_schema', json_schema: { name: 's', schema } };

    expect(chat({ messages: [user] }, { model: 'gemini-2.0-flash-exp' }).generationConfig).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
    });
    expect(chat({ messages: [user], response_format: format }).generationConfig).toEqual({
      responseMimeType: 'application/json',
      responseSchema: { type: 'object', properties: { x: { type: 'integer' } } },
    });
  });
});

describe('a Gemini request to Gemini', () => {
  const send = (text: string, details: Partial<ClientRequest> = {}, to: Partial<ChannelTarget> = {}) =>
    gemini.gemini.toUpstream(
      clientRequest(JSON.parse(text) as JsonObject, { dialect: 'gemini', text, ...details }),
      target(to),
    );

  it("is the client's own bytes", () => {
    const text = '{ "contents": [{"parts":[{"text":"hi"}]}], "generation_config": {"max_output_tokens": 9}, "x": 1.0 }';

    expect(send(text).body?.toString()).toBe(text);
    expect(send(text, { outputLimit: 20 }).body?.toString()).toBe(text);
    expect(send(text, { isStream: true }).url).toMatch(/:streamGenerateContent\?alt=sse$/);
  });

  it('says the limit that the quota pays for in the spelling of the client', () => {
    expect(
      send('{"contents":[],"generation_config":{"max_output_tokens":9},"x":1.0}', { outputLimit: 5 }).body?.toString(),
    ).toBe('{"contents":[],"generation_config":{"max_output_tokens":5},"x":1.0}');
    expect(send('{"contents":[]}', { outputLimit: 5 }).body?.toString()).toBe(
      '{"contents":[],"generationConfig":{"maxOutputTokens":5}}',
    );
  });

  it('thinks as the suffix of its model says', () => {
    const to = { model: 'gemini-2.5-flash-nothinking', settings: settings({ thinkingAdapterEnabled: true }) };

    expect(bodyOf(send('{"contents":[]}', {}, to))).toEqual({
      contents: [],
      generationConfig: { thinkingConfig: { thinkingBudget: 0 } },
    });
  });
});

describe('embeddings of Gemini', () => {
  it('has as many vectors as inputs', () => {
    const request = gemini.embeddings.toUpstream(
      clientRequest({ model: 'x', input: ['a', 'b'], dimensions: 3 }),
      target({ model: 'text-embedding-004' }),
    );
    const embeddings = { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] };
    const reply = gemini.embeddings.fromReply(Buffer.from(JSON.stringify(embeddings)), replyContext());

    expect(request.url).toMatch(/\/v1beta\/models\/text-embedding-004:batchEmbedContents$/);
    expect(bodyOf(request)).toEqual({
      requests: ['a', 'b'].map((item) => ({
        model: 'models/text-embedding-004',
        content: { parts: [{ text: item }] },
        outputDimensionality: 3,
      })),
    });
    expect(JSON.parse(reply.body.toString())).toMatchObject({
      object: 'list',
      data: [
        { index: 0, embedding: [1, 2] },
        { index: 1, embedding: [3, 4] },
      ],
    });
    expect(reply.usage).toBeUndefined();
  });

  it.each(['a', ['a']].map((input) => [input]))('asks for one vector at the address for one: %j', (input) => {
    const request = gemini.embeddings.toUpstream(
      clientRequest({ model: 'x', input, dimensions: 3 }),
      target({ model: 'gemini-embedding-exp-03-07' }),
    );
    const reply = gemini.embeddings.fromReply(Buffer.from('{"embedding":{"values":[1,2]}}'), replyContext());

    expect(request.url).toMatch(/\/v1beta\/models\/gemini-embedding-exp-03-07:embedContent$/);
    expect(bodyOf(request)).toEqual({
      model: 'models/gemini-embedding-exp-03-07',
      content: { parts: [{ text: 'a' }] },
      outputDimensionality: 3,
    });
    expect(JSON.parse(reply.body.toString())).toMatchObject({ data: [{ index: 0, embedding: [1, 2] }] });
    expect(gemini.embeddings.fromReply(Buffer.from('{"embedding":"x"}'), replyContext()).fault).toBeDefined();
  });

  it('are refused for more inputs than Google takes in one request', () => {
    const sent = (count: number) =>
      gemini.embeddings.toUpstream(clientRequest({ input: Array(count).fill('a') }), target({ model: 'em' }));
    expect(bodyOf(sent(100)).requests).toHaveLength(100);
    expect(() => sent(101)).toThrow('Gemini embeds at most 100 inputs at once, not 101');
  });
});

describe('the model list of Gemini', () => {
  it('is asked for at the address for OpenAI clients, and read in both forms', () => {
    const { method, url, headers } = gemini.models.toUpstream(target({ baseUrl: 'https://example.com/', other: 'v1' }));
    expect([method, url]).toEqual(['GET', 'https://example.com/v1beta/openai/models']);
    // Google refuses a call with two credentials.
    expect(headers).toEqual({ accept: 'application/json', authorization: 'Bearer AIza' });
    expect(gemini.models.toUpstream(target()).url).toMatch(
      /^https:\/\/generativelanguage\.googleapis\.com\/v1beta\/openai\/models$/,
    );

    const read = (body: object) => gemini.models.fromReply(Buffer.from(JSON.stringify(body)));
    expect(read({ object: 'list', data: [{ id: 'models/gemini-2.5-flash' }, { id: 'gemini-x' }, {}] })).toEqual([
      'gemini-2.5-flash',
      'gemini-x',
    ]);
    expect(read({ models: [{ name: 'models/gemini-2.5-flash' }] })).toEqual(['gemini-2.5-flash']);
    expect(() => read({ error: { code: 400, message: 'API key not valid' } })).toThrow('API key not valid');
  });
});
