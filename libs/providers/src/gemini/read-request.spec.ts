import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';

const { gemini } = openAiCompatible({ defaultBaseUrl: 'https://api.example.com' });
const user = { role: 'user', parts: [{ text: 'hi' }] };

const sent = (json: JsonObject): JsonObject => {
  const request = clientRequest({ contents: [user], ...json }, { dialect: 'gemini' });
  return JSON.parse(gemini.toUpstream(request, channelTarget()).body?.toString() ?? '') as JsonObject;
};

describe('a Gemini request to an OpenAI upstream', () => {
  const ALL = ['a', 'b', 'c'];

  it.each<[string, string[], string[], unknown]>([
    ['ANY', ['a', 'b'], ['a', 'b'], 'required'],
    ['VALIDATED', ['b'], ['b'], 'auto'],
    ['ANY', ['b'], ALL, { type: 'function', function: { name: 'b' } }],
    ['ANY', [], ALL, 'required'],
    ['AUTO', ['b'], ALL, 'auto'],
  ])('names the tools that may be called in mode %s with %j', (mode, allowedFunctionNames, names, choice) => {
    const functionDeclarations = ALL.map((name) => ({ name }));
    const toolConfig = { functionCallingConfig: { mode, allowedFunctionNames } };
    const { tools, tool_choice: chosen } = sent({ tools: [{ functionDeclarations }], toolConfig });

    expect((tools as { function: JsonObject }[]).map(({ function: { name } }) => name)).toEqual(names);
    expect(chosen).toEqual(choice);
  });

  it('says that JSON is wanted where no message does, because OpenAI refuses it otherwise', () => {
    const generationConfig = { responseMimeType: 'application/json' };
    const messagesOf = (text: string, more: JsonObject = {}) =>
      sent({ contents: [{ role: 'user', parts: [{ text }] }], generationConfig, ...more }).messages;
    const [kind, asked] = [{ parts: [{ text: 'Be kind.' }] }, { role: 'user', content: 'Name a city' }];
    const system = (content: string): JsonObject => ({ role: 'system', content });

    expect(sent({ generationConfig }).response_format).toEqual({ type: 'json_object' });
    expect(messagesOf('Name a city')).toEqual([system('Answer in JSON.'), asked]);
    expect(messagesOf('Name a city', { systemInstruction: kind })).toEqual([
      system('Be kind.\nAnswer in JSON.'),
      asked,
    ]);
    expect(messagesOf('A city as Json')).toEqual([{ role: 'user', content: 'A city as Json' }]);
    expect(messagesOf('Name a city', { systemInstruction: { parts: [{ text: 'Write JSON' }] } })).toEqual([
      system('Write JSON'),
      asked,
    ]);
    const withSchema = { ...generationConfig, responseSchema: { type: 'OBJECT' } };
    expect(messagesOf('Name a city', { generationConfig: withSchema })).toEqual([asked]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['types in lower case', { type: 'STRING' }, { type: 'string' }],
    [
      'numbers as numbers',
      { type: 'ARRAY', minItems: '1', max_items: '9' },
      { type: 'array', minItems: 1, maxItems: 9 },
    ],
    [
      'numbers that are none as they are',
      { type: 'ARRAY', minItems: 'many', max_items: '' },
      { type: 'array', minItems: 'many', maxItems: '' },
    ],
    [
      'null among types and values',
      { type: 'STRING', enum: ['A'], nullable: true },
      { type: ['string', 'null'], enum: ['A', null] },
    ],
    ['no null where none is allowed', { type: 'STRING', nullable: false }, { type: 'string' }],
    [
      'null among the schemas of which one holds',
      { any_of: [{ type: 'STRING' }, { type: 'INTEGER' }], nullable: true },
      { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    ],
    [
      'no order of the properties, and one that is named so',
      { type: 'OBJECT', properties: { propertyOrdering: { type: 'NUMBER' } }, propertyOrdering: ['propertyOrdering'] },
      { type: 'object', properties: { propertyOrdering: { type: 'number' } } },
    ],
    ['values as they are', { type: 'OBJECT', example: { type: 'A' } }, { type: 'object', example: { type: 'A' } }],
  ])('has a schema as JSON Schema: %s', (_, schema, expected) => {
    const inside = (one: JsonObject): JsonObject => ({ type: 'object', properties: { a: { items: one } } });
    const functionDeclarations = [{ name: 'f', parameters: { type: 'OBJECT', properties: { a: { items: schema } } } }];
    const generationConfig = { responseMimeType: 'application/json', responseSchema: schema };
    const { tools, response_format: format } = sent({ tools: [{ functionDeclarations }], generationConfig });

    expect(tools).toMatchObject([{ function: { parameters: inside(expected) } }]);
    expect(format).toEqual({ type: 'json_schema', json_schema: { name: 'answer', schema: expected } });
  });

  it.each<[JsonObject, string]>([
    [{ result: 'sun' }, 'sun'],
    [{ name: 'find', output: 'sun' }, 'sun'],
    [{ name: 'Bob', result: 'sun' }, '{"name":"Bob","result":"sun"}'],
    [{ name: 'Bob' }, '{"name":"Bob"}'],
    [{ content: { sky: 'blue' } }, '{"sky":"blue"}'],
  ])('has the result %j as text, without the name of its function only', (response, text) => {
    const contents = [
      user,
      { role: 'model', parts: [{ functionCall: { name: 'find', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'find', response } }] },
    ];
    expect((sent({ contents }).messages as JsonObject[]).at(-1)?.content).toBe(text);
  });

  it('has pictures in the result of a function after its text, and refuses other parts there', () => {
    const told = (...parts: JsonObject[]): JsonObject => ({
      contents: [
        user,
        { role: 'model', parts: [{ functionCall: { name: 'draw', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'draw', response: { result: 'done' }, parts } }] },
      ],
    });
    const picture = { inlineData: { mimeType: 'image/png', data: 'AA==' } };

    expect((sent(told(picture)).messages as JsonObject[]).slice(2)).toMatchObject([
      { role: 'tool', content: 'done' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] },
    ]);
    expect(() => sent(told(picture, { text: 'x' }))).toThrow('contents.2.parts.0.functionResponse.parts.1');
  });
});
