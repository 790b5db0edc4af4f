import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../adapter.js';
import { costlyFields, freeBetas, unpricedField } from './costly-fields.js';
import { geminiMemberRules } from '../gemini/member-rules.js';
import { requestMembers } from '../json/member-rules.js';

/** Per member: values that pass, and refused values with how the refusal prints them. */
const cases: Record<string, { free: Json[]; dear: [Json, string][] }> = {
  service_tier: {
    free: ['auto', 'default', 'flex', 'standard_only', null],
    dear: [
      ['priority', '"priority"'],
      ['scale', '"scale"'],
      [1, 'with this value'],
    ],
  },
  speed: { free: ['standard', null], dear: [['fast', '"fast"']] },
  inference_geo: { free: ['global'], dear: [['us', '"us"']] },
  web_search_options: {
    free: [null],
    dear: [
      [{}, 'with this value'],
      [{ search_context_size: 'high' }, 'with this value'],
    ],
  },
  enable_search: {
    free: [false, null],
    dear: [
      [true, 'with this value'],
      ['true', '"true"'],
    ],
  },
  web_search: {
    free: [false, null],
    dear: [
      [true, 'with this value'],
      [{ enable: true }, 'with this value'],
    ],
  },
  search_parameters: { free: [null], dear: [[{ mode: 'on' }, 'with this value']] },
  enable_enhancement: { free: [false, null], dear: [[true, 'with this value']] },
  preset: { free: [null], dear: [['@preset/dear', '"@preset/dear"']] },
  background: { free: [false, null], dear: [[true, 'with this value']] },
  conversation: { free: [null], dear: [['conv_1', '"conv_1"']] },
  prompt: { free: ['a text', ['texts'], null], dear: [[{ id: 'pmpt_1' }, 'with an id']] },
  plugins: { free: [null], dear: [[[{ id: 'web' }], 'with this value']] },
  models: { free: [null], dear: [[['dear'], 'with this value']] },
  provider: {
    free: [{ data_collection: 'deny' }, { allow_fallbacks: false }, null],
    dear: [
      [{ order: ['x'] }, 'order'],
      [{ sort: 'latency' }, 'sort'],
      [{ only: ['x'] }, 'only'],
    ],
  },
  tools: {
    free: [
      [],
      [
        { type: 'function', function: { name: 'f' } },
        { type: 'custom', name: 'c' },
      ],
      [{ functionDeclarations: [{ name: 'f' }] }, { function_declarations: [] }],
      [
        { name: 'f', input_schema: {} },
        { type: 'bash_20250124' },
        { type: 'text_editor_20250728' },
        { type: 'computer_20250124' },
      ],
      [{ type: 'browser_toolset_20260801' }, { type: 'computer_toolset_20260801', configs: null }],
      [{ type: 'tool_search_tool_regex_20251119' }, { type: 'memory_20250818' }],
    ],
    dear: [
      'web_search_20250305',
      'web_search',
      'web_fetch_20250910',
      'code_execution_20250825',
      'file_search',
      'builtin_function',
      'mcp_toolset',
      'search_toolset_20260801',
      'image_generation',
    ]
      .map((type): [Json, string] => [[{ type: 'function' }, { type }], `of type "${type}"`])
      .concat([
        [[{ googleSearch: {} }], '"googleSearch"'],
        [[{ type: null, googleSearch: {} }], '"googleSearch"'],
        [[{ type: 'function', google_search: {} }], '"google_search"'],
        [[{ name: 'f', urlContext: {} }], '"urlContext"'],
        [[{ name: null, newTool: {} }], '"newTool"'],
      ]),
  },
  functions: { free: [[{ name: 'f' }]], dear: [] },
  mcp_servers: { free: [null], dear: [[[{ url: 'https://x' }], 'with this value']] },
  container: {
    free: [null],
    dear: [
      ['container_1', '"container_1"'],
      [{ skills: [] }, 'with this value'],
    ],
  },
  context_management: {
    free: [{ edits: [{ type: 'clear_tool_uses_20250919' }] }],
    dear: [[{ edits: [{ type: 'compact_20260112' }] }, 'with compaction']],
  },
  modalities: { free: [['text', 'audio']], dear: [] },
  audio: { free: [{ voice: 'alloy', format: 'wav' }], dear: [] },
  prediction: { free: [{ type: 'content', content: 'x' }], dear: [] },
  thinking: { free: [{ type: 'enabled', budget_tokens: 1024 }], dear: [] },
  reasoning_effort: { free: ['high'], dear: [] },
  cachedContent: { free: [null], dear: [['cachedContents/x', '"cachedContents/x"']] },
  cached_content: { free: [null], dear: [['cachedContents/x', '"cachedContents/x"']] },
  serviceTier: { free: ['standard', 'flex'], dear: [['priority', '"priority"']] },
};

const isGuarded = (member: string): boolean =>
  requestMembers.guarded.has(member) || geminiMemberRules.guarded.has(geminiMemberRules.fold(member));

describe('fields that an upstream may charge for', () => {
  it('are all tested here, and cannot be hidden by another case of their name', () => {
    expect(costlyFields.map(({ member }) => member).sort()).toEqual(Object.keys(cases).sort());
    for (const { member } of costlyFields) expect([member, isGuarded(member)]).toEqual([member, true]);
  });

  it.each(Object.entries(cases))('%s', (member, { free, dear }) => {
    for (const value of free)
      expect([value, unpricedField({ model: 'm', [member]: value })]).toEqual([value, undefined]);
    for (const [value, named] of dear)
      expect(unpricedField({ [member]: value })).toMatchObject({ member, value: named });
  });

  it.each([
    ['web_search', true],
    ['web_search_2025_08_26', true],
    ['web_search_preview', true],
    ['web_search_preview_2025_03_11', true],
    ['file_search', true],
    ['web_search_20250305', false],
    ['web_search_premium', false],
    ['code_interpreter', false],
    ['image_generation', false],
    ['mcp', false],
  ])('have a price for the tool %s of responses: %j', (type, isPriced) => {
    const refused = { member: 'tools', value: `of type "${type}"` };
    expect(unpricedField({ tools: [{ type }] }, { endpoint: 'responses' })).toEqual(isPriced ? undefined : refused);
    expect(unpricedField({ tools: [{ type }] })).toEqual(refused);
  });

  it('have a price for the search of a chat, and of no other call', () => {
    const json = { web_search_options: { search_context_size: 'high' } };
    expect(unpricedField(json, { endpoint: 'chat' })).toBeUndefined();
    for (const value of [true, 'high', []])
      expect(unpricedField({ web_search_options: value }, { endpoint: 'chat' })?.member).toBe('web_search_options');
    for (const endpoint of ['responses', 'messages'] as const)
      expect(unpricedField(json, { endpoint })?.member).toBe('web_search_options');
    expect(unpricedField({ tools: [{ type: 'web_search' }] }, { endpoint: 'chat' })?.member).toBe('tools');
  });

  it("may be Google's own in its own words, as far as their price is known", () => {
    const of = (tool: JsonObject, endpoint: 'gemini' | 'chat' = 'gemini') =>
      unpricedField({ tools: [{ functionDeclarations: [] }, tool] }, { endpoint })?.value;
    for (const tool of [
      { googleSearch: {} },
      { google_search: { time_range_filter: {} }, functionDeclarations: [] },
      { codeExecution: {}, googleSearch: { excludeDomains: ['x.example'] } },
    ])
      expect([of(tool), of(tool, 'chat')]).toEqual([undefined, expect.stringMatching(/search|execution/i)]);
    expect(of({ googleSearch: { searchTypes: { imageSearch: {} } } })).toBe('"googleSearch"');
    expect(of({ googleSearch: null })).toBe('"googleSearch"');
    expect(of({ googleSearch: {}, urlContext: {} })).toBe('"urlContext"');
    expect(of({ googleSearchRetrieval: {} })).toBe('"googleSearchRetrieval"');
  });

  it.each([['web_search'], [{ type: 'web_search' }], [true]])('are no tools unless in a list: %j', (tools) => {
    expect(unpricedField({ tools })).toEqual({ member: 'tools', value: 'that is no list' });
  });

  it('leave a plain request alone', () => {
    expect(unpricedField({ model: 'm', messages: [], temperature: 1, top_p: 1, seed: 1, user: 'u' })).toBeUndefined();
  });
});

describe('freeBetas', () => {
  it.each([
    [
      'prompt-caching-2024-07-31, interleaved-thinking-2025-05-14',
      'prompt-caching-2024-07-31,interleaved-thinking-2025-05-14',
    ],
    ['claude-code-20250219,context-1m-2025-08-07', 'claude-code-20250219'],
    ['fast-mode-2026-02-01', undefined],
    ['code-execution-2025-08-25,mcp-client-2025-04-04,web-fetch-2025-09-10', undefined],
    ['unheard-of-2030-01-01', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s: %s', (sent, passed) => expect(freeBetas(sent)).toBe(passed));
});
