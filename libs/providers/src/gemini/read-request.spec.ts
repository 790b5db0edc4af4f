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
});
