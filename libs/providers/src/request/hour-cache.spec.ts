import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '../adapter.js';
import { asksForHourCache } from './hour-cache.js';
import { scanObject } from '../json/json-scan.js';
import { lazyObject } from '../json/lazy-json.js';
import { requestMembers } from '../json/member-rules.js';

const mark = (ttl?: Json): JsonObject => ({ cache_control: { type: 'ephemeral', ...(ttl !== undefined && { ttl }) } });
const text = (ttl?: Json): JsonObject => ({ type: 'text', text: 'x', ...mark(ttl) });
const inMessages = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] });

describe('asksForHourCache', () => {
  it.each<[string, JsonObject]>([
    ['a part of a message', inMessages(text(), text('1h'))],
    ['a message', { messages: [{ role: 'user', content: 'x', ...mark('1h') }] }],
    ['the system prompt', { system: [text('1h')] }],
    ['a tool', { tools: [{ name: 't', ...mark('1h') }] }],
    ['a part of a result', inMessages({ type: 'tool_result', content: [text('1h')] })],
    ['the request itself', mark('1h')],
    ['a time that nobody knows', inMessages(text('24h'))],
    ['a member in other letters', { Messages: [{ content: [text('1h')] }] }],
  ])('is said by %s', (_, json) => {
    expect(asksForHourCache(json)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['nothing', { messages: [{ role: 'user', content: 'cache_control ttl 1h' }] }],
    ['marks without a time', inMessages(text())],
    ['five minutes', inMessages(text('5m'))],
    ['what is nobody’s mark', { metadata: mark('1h') }],
  ])('is not said by %s', (_, json) => {
    expect(asksForHourCache(json)).toBe(false);
  });

  it('is found in a large body beside endless text, without parsing it', () => {
    const bytes = Buffer.from(JSON.stringify(inMessages({ type: 'text', text: 'x'.repeat(1_000_000) }, text('1h'))));
    const lazy = lazyObject(bytes, scanObject(bytes, requestMembers), () => {
      throw new Error('parsed');
    });
    expect(asksForHourCache(lazy)).toBe(true);
  });
});
