import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../adapter.js';
import { scanObject } from '../json/json-scan.js';
import { lazyObject } from '../json/lazy-json.js';
import { unlistedField } from './listed.js';
import { requestMembers } from '../json/member-rules.js';

const file = { fileData: { fileUri: 'https://example.com/a.mp4', mimeType: 'video/mp4' } };
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };

const gemini: [JsonObject, string | undefined][] = [
  [{ contents: [{ parts: [{ text: 'x' }, file] }], tools: [{ functionDeclarations: [] }] }, undefined],
  [{ contents: [{ parts: ['x'] }, { role: 'model' }], tools: null, systemInstruction: 'x' }, undefined],
  [{ contents: [{ parts: [{ functionResponse: { name: 'f', parts: [file] } }] }] }, undefined],
  [{ tools: { googleSearch: {} } }, 'tools'],
  [{ tools: [[{ googleSearch: {} }]] }, 'tools.0'],
  [{ tools: 'googleSearch' }, 'tools'],
  [{ contents: { parts: [file] } }, 'contents'],
  [{ contents: [[{ parts: [file] }]] }, 'contents.0'],
  [{ contents: [{ parts: [] }, { parts: file }] }, 'contents.1.parts'],
  [{ contents: [{ parts: [[file]] }] }, 'contents.0.parts.0'],
  [{ contents: [{ parts: [{ fileData: [file.fileData] }] }] }, 'contents.0.parts.0.fileData'],
  [{ contents: [{ parts: [{ inline_data: 'x' }] }] }, 'contents.0.parts.0.inline_data'],
  [{ contents: [{ parts: [{ functionResponse: { parts: file } }] }] }, 'contents.0.parts.0.functionResponse.parts'],
  [{ systemInstruction: { parts: file } }, 'systemInstruction.parts'],
  [{ system_instruction: [{ parts: [file] }] }, 'system_instruction'],
];

const chat: [JsonObject, string | undefined][] = [
  [{ messages: [{ content: 'x' }, { content: null }, { content: [image, 'x'] }], tools: [], system: 'x' }, undefined],
  [{ messages: [{ content: [{ type: 'tool_result', content: [image] }] }] }, undefined],
  [{ tools: { type: 'web_search' } }, 'tools'],
  [{ functions: { name: 'f' } }, 'functions'],
  [{ messages: { content: 'x' } }, 'messages'],
  [{ messages: [[]] }, 'messages.0'],
  [{ messages: [{ content: image }] }, 'messages.0.content'],
  [{ messages: [{ content: [[image]] }] }, 'messages.0.content.0'],
  [{ messages: [{ content: [{ content: image }] }] }, 'messages.0.content.0.content'],
  [{ messages: [{ content: [{ source: { content: image } }] }] }, 'messages.0.content.0.source.content'],
  [{ system: { type: 'text', text: 'x' } }, 'system'],
];

describe('unlistedField', () => {
  it.each(gemini)("in Gemini's dialect %j: %s", (json, found) => expect(unlistedField(json, 'gemini')).toBe(found));
  it.each(chat)('in the others %j: %s', (json, found) => expect(unlistedField(json, 'chat')).toBe(found));

  it('looks into members that are too large to be parsed at once', () => {
    const bytes = Buffer.from(JSON.stringify({ messages: [{ content: { ...image, text: 'x'.repeat(5000) } }] }));
    const json = lazyObject(bytes, scanObject(bytes, requestMembers), () => undefined);
    expect(unlistedField(json, 'chat')).toBe('messages.0.content');
  });
});
