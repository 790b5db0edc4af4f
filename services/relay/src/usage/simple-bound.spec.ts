import { describe, expect, it } from '@jest/globals';
import { lazyObject, requestMembers, scanObject, type JsonObject } from '@tollgate/providers';
import fc from 'fast-check';
import { isSimpleChat } from '../body/simple-chat.js';
import { checkRequest } from '../body/text-request.js';
import { requestBound } from './request-bound.js';
import { simpleBound } from './simple-bound.js';

const text = fc.constantFrom('', 'hello', '你好', 'data:image/png;base64,AAAA');
const limit = fc.constantFrom(0, 1, 100, 4096, 1_000_000, 2 ** 30 - 1);
const simpleChats = fc.record(
  {
    model: fc.constantFrom('gpt-4o', 'x'),
    messages: fc.array(
      fc.record(
        { role: fc.constantFrom('user', 'system', 'alien'), content: text, name: text },
        { requiredKeys: [], noNullPrototype: true },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    stream: fc.boolean(),
    stream_options: fc.record({ include_usage: fc.boolean() }, { requiredKeys: [], noNullPrototype: true }),
    max_tokens: limit,
    max_completion_tokens: limit,
    temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
    top_p: fc.constant(1),
    seed: fc.constant(-1),
  },
  { requiredKeys: ['model', 'messages'], noNullPrototype: true },
);

/** Members that make a chat anything but simple. */
const more = fc.constantFrom<JsonObject>(
  ...[
    { n: 2 },
    { tools: [] },
    { stop: 'x' },
    { web_search_options: {} },
    { service_tier: 'priority' },
    { max_tokens: -1 },
  ],
  ...[
    { max_tokens: '5' },
    { stream: null },
    { temperature: 'hot' },
    { messages: [] },
    { messages: 'x' },
    { model: '' },
  ],
  ...[{ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }, { messages: [{ content: null }] }],
  ...[{ messages: [{ role: 5, content: 'x' }] }, { messages: [{ role: 'user', content: 'x', audio: { id: 'a' } }] }],
  ...[{ stream_options: { include_usage: 'yes' } }, { stream_options: [] }, { prediction: {} }, { cache_control: {} }],
  ...[{ messages: [['x']] }, { messages: [null] }, { thinking: { budget_tokens: 5 } }, { enable_search: true }],
);

const isSimple = (json: JsonObject): boolean => isSimpleChat({ json, endpoint: 'chat' });

const mostly = <Value>(usual: Value, rare: Value): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(rare) });
const name = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('gpt-4o', 'gpt-4', 'claude-sonnet-4-thinking', 'x') },
  { weight: 1, arbitrary: fc.constant('gpt-4o-search-preview') },
);
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });
const channels = fc.record({
  models: names,
  sent: fc.option(names, { nil: undefined }),
  overrides: mostly<JsonObject[]>([], [{ max_tokens: 9 }]),
  readings: mostly<JsonObject[]>([], [{ max_tokens: 9 }]),
  unaskedAreFree: fc.boolean(),
  runsGoogleTools: fc.boolean(),
  hasOwnContext: mostly(false, true),
  heedsNoLimit: mostly(false, true),
});

describe('a simple chat', () => {
  it('passes every check of a request', () => {
    fc.assert(
      fc.property(simpleChats, (json) => {
        expect(isSimple(json as JsonObject)).toBe(true);
        expect(() => checkRequest({ json: json as JsonObject, endpoint: 'chat' })).not.toThrow();
      }),
    );
  });

  it('has the bound of any other request', () => {
    let agreed = 0;
    fc.assert(
      fc.property(simpleChats, channels, fc.nat(1e6), (json, { sent, ...rest }, size) => {
        const request = { json: json as JsonObject, size, endpoint: 'chat' as const, ...rest, ...(sent && { sent }) };
        const bound = simpleBound(request);
        if (!bound) return;
        agreed += 1;
        expect(bound).toEqual(requestBound(request));
      }),
      { numRuns: 500 },
    );
    expect(agreed).toBeGreaterThan(20);
  });

  it('is not one with any other member or value', () => {
    fc.assert(
      fc.property(simpleChats, more, (json, added) =>
        expect(isSimple({ ...(json as JsonObject), ...added })).toBe(false),
      ),
    );
  });

  it('is not one with a picture in a text, which may cost more than its characters', () => {
    const content = 'Here: ![image](data:image/png;base64,AA==)';
    expect(isSimple({ model: 'gpt-4o', messages: [{ role: 'assistant', content }] })).toBe(false);
  });

  it('is only one of the chat endpoint', () => {
    const json = { model: 'gpt-4o', messages: [{ role: 'user', content: 'x' }] };
    expect(isSimpleChat({ json, endpoint: 'messages' })).toBe(false);
    expect(isSimpleChat({ json, endpoint: 'completions' })).toBe(false);
  });

  it('is not one with a member that was not parsed yet, and none is parsed to find out', () => {
    const bytes = Buffer.from(`{"model":"m","messages":[{"role":"user","content":"${'x'.repeat(5000)}"}]}`);
    const json = lazyObject(bytes, scanObject(bytes, requestMembers), () => {
      throw new Error('parsed');
    });
    expect(isSimple(json)).toBe(false);
  });
});
