import { describe, expect, it } from '@jest/globals';
import { scanObject } from '../json/json-scan.js';
import { geminiMemberRules } from './member-rules.js';

const scan = (text: string) => scanObject(Buffer.from(text), geminiMemberRules).members.map(({ name }) => name);

describe("names in Gemini's dialect", () => {
  it.each([
    '{"contents":[{"parts":[{"inlineData":{"mimeType":"a","data":"b"}}]}],"generationConfig":{"maxOutputTokens":1}}',
    '{"contents":[{"parts":[{"inline_data":{"mime_type":"a","data":"b"}}]}],"generation_config":{"max_output_tokens":1}}',
    '{"contents":[{"parts":[{"functionCall":{"name":"f","args":{"Max_Output_Tokens":1,"maxoutputtokens":2}}}]}]}',
    '{"contents":[],"own":{"a":1,"A":2}}',
  ])('may be spelt as Google documents them: %s', (text) => {
    expect(scan(text)[0]).toBe('contents');
  });

  it.each([
    ['{"generationConfig":{},"generation_config":{}}', 'repeated'],
    ['{"generationConfig":{"maxOutputTokens":1,"max_output_tokens":2}}', 'repeated'],
    ['{"GenerationConfig":{}}', 'variant'],
    ['{"generationConfig":{"maxoutputtokens":1}}', 'variant'],
    ['{"contents":[{"parts":[{"Text":"x"}]}]}', 'variant'],
  ])('are refused where two readers might differ: %s', (text, fault) => {
    expect(() => scan(text)).toThrow(expect.objectContaining({ fault }));
  });
});
