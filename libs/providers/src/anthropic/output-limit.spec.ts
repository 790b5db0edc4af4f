import { describe, expect, it } from '@jest/globals';
import type { ChannelTarget, ClientRequest, JsonObject } from '../adapter.js';
import { anthropic } from '../upstreams/anthropic.js';

const target = (fields: Partial<ChannelTarget> = {}): ChannelTarget => ({
  ...{ channelType: 14, baseUrl: '', key: 'k', model: 'claude-3-7-sonnet-20250219', organization: '', other: '' },
  ...{ requestedModel: 'claude-3-7-sonnet-20250219', setting: {}, paramOverride: {}, nowMs: 0 },
  settings: {
    claude: { defaultMaxTokens: {}, modelHeaders: {}, thinkingAdapterEnabled: true, thinkingBudgetPercentage: 0.8 },
    gemini: {
      safetySettings: {},
      versionSettings: {},
      imageModels: [],
      thinkingAdapterEnabled: false,
      thinkingBudgetPercentage: 0.6,
    },
    ...{ forceStreamUsage: true, azureApiVersion: '', product: { name: '', url: '' } },
  },
  ...fields,
});
const request = (fields: JsonObject, outputLimit?: number): ClientRequest => {
  const json = { model: 'claude-3-7-sonnet-20250219', messages: [{ role: 'user', content: 'x' }], ...fields };
  const bytes = Buffer.from(JSON.stringify(json));
  return { dialect: 'anthropic', json, bytes, headers: {}, ...(outputLimit !== undefined && { outputLimit }) };
};
const chat = (fields: JsonObject, outputLimit?: number): ClientRequest => ({
  ...request(fields, outputLimit),
  dialect: 'openai',
});
const limitOf = ({ body }: { body?: Buffer }): unknown => (JSON.parse(String(body)) as JsonObject).max_tokens;

describe('the limit that a quota pays for, in a request to Claude', () => {
  it('stands in for the default', () => {
    expect(limitOf(anthropic.messages.toUpstream(request({}), target()))).toBe(8192);
    expect(limitOf(anthropic.messages.toUpstream(request({}, 100), target()))).toBe(100);
    expect(limitOf(anthropic.chat.toUpstream(chat({}, 100), target()))).toBe(100);
  });

  it('lowers what the client asks for, and never raises it', () => {
    expect(limitOf(anthropic.messages.toUpstream(request({ max_tokens: 500 }, 100), target()))).toBe(100);
    const lower = request({ max_tokens: 50 }, 100);
    expect(anthropic.messages.toUpstream(lower, target()).body).toBe(lower.bytes);
  });

  it('holds against what a channel puts over the request', () => {
    const overridden = target({ paramOverride: { max_tokens: 9000 } });
    expect(limitOf(anthropic.chat.toUpstream(chat({}, 100), overridden))).toBe(100);
    expect(limitOf(anthropic.chat.toUpstream(chat({}), overridden))).toBe(9000);
  });
});
