import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { ChannelTarget, ClientRequest, JsonObject } from '../adapter.js';
import { anthropic } from '../upstreams/anthropic.js';

const claude = (details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 14, model: 'claude-3-7-sonnet-20250219', key: 'sk-ant', ...details });
const BETAS = ['prompt-caching-2024-07-31', 'interleaved-thinking-2025-05-14'];

describe('a message request to Anthropic', () => {
  const send = (text: string, target: Partial<ChannelTarget> = {}, headers: ClientRequest['headers'] = {}) =>
    anthropic.messages.toUpstream(
      clientRequest(JSON.parse(text) as JsonObject, { dialect: 'anthropic', text, headers }),
      claude(target),
    );

  it("is the client's own bytes, with its version and beta features", () => {
    const text = '{"model":"claude-3-7-sonnet-20250219", "max_tokens":5, "temperature":0, "new":[0.0]}';
    const sent = send(
      text,
      {},
      { 'anthropic-beta': [...BETAS, 'dear-2030-01-01'], 'anthropic-version': '2024-01-01', cookie: 'no' },
    );

    expect(sent.body?.toString()).toBe(text);
    expect(sent.url).toBe('https://api.anthropic.com/v1/messages');
    expect(sent.headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': 'sk-ant',
      'anthropic-version': '2024-01-01',
      'anthropic-beta': BETAS.join(','),
    });
  });

  it('turns thinking on for a name that says so', () => {
    const model = 'claude-3-7-sonnet-20250219-thinking';
    const body = (rest: JsonObject) =>
      JSON.parse(send(JSON.stringify({ model, ...rest }), { model }).body?.toString() ?? '') as JsonObject;

    expect(body({ max_tokens: 10_000, top_p: 0.5, temperature: 0 })).toEqual({
      model: 'claude-3-7-sonnet-20250219',
      max_tokens: 10_000,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 8000 },
    });
    expect(body({ max_tokens: 100 })).toMatchObject({ max_tokens: 1280, thinking: { budget_tokens: 1024 } });
    expect(body({ max_tokens: 100, thinking: { type: 'disabled' } })).toMatchObject({
      max_tokens: 100,
      thinking: { type: 'disabled' },
    });
  });

  it("adds a missing limit and the operator's headers for the requested model", () => {
    const base = claude();
    const settings = {
      ...base.settings,
      claude: {
        ...base.settings.claude,
        defaultMaxTokens: { default: 8192, mine: 77 },
        modelHeaders: { mine: { 'Anthropic-Beta': ['x', 'y'] } },
      },
    };
    const sent = send('{"model":"mine"}', { requestedModel: 'mine', settings });

    expect(sent.body?.toString()).toBe('{"model":"claude-3-7-sonnet-20250219","max_tokens":77}');
    expect(sent.headers['anthropic-beta']).toBe('x,y');
  });
});
