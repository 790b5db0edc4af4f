import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { ClientRequest, JsonObject } from '../adapter.js';
import { anthropic } from '../upstreams/anthropic.js';
import { choosesItself, fittingModel } from './generation.js';

const sampling = { temperature: 0.2, top_p: 0.9, top_k: 5 };
const thinking = { type: 'enabled', budget_tokens: 2000 };

describe('a converted request to a model of Claude', () => {
  it.each([
    ...['claude-opus-4-7', 'claude-opus-4-7-20260416', 'claude-opus-4.8', 'claude-opus-5', 'claude-sonnet-5-5'],
    ...['claude-opus-4-7-thinking', 'claude-fable-5@20260601', 'us.anthropic.claude-opus-4-7', 'claude-opus-10'],
  ])('that chooses its sampling and thinking itself has neither: %s', (model) => {
    expect(fittingModel({ model, ...sampling, thinking }, model)).toEqual({ model, thinking: { type: 'adaptive' } });
    const off = { model, thinking: { type: 'disabled' } };
    expect(fittingModel({ ...off, ...sampling }, model)).toEqual(off);
  });

  it.each([
    ...['claude-opus-4-1', 'claude-opus-4-1-20250805', 'claude-sonnet-4-5@20250929', 'claude-haiku-4-5'],
    ...['eu.anthropic.claude-sonnet-4-6', 'anthropic.claude-opus-4-6-v1'],
  ])('that takes one of temperature and top_p has the temperature: %s', (model) => {
    const { top_p: _, ...rest } = { model, ...sampling, thinking };
    expect(fittingModel({ ...rest, top_p: 0.9 }, model)).toEqual(rest);
    expect(fittingModel({ top_p: 0.9, top_k: 5 }, model)).toEqual({ top_p: 0.9, top_k: 5 });
  });

  it.each([
    ...['claude-opus-4-20250514', 'claude-sonnet-4@20250514', 'claude-sonnet-4-0', 'claude-3-7-sonnet-20250219'],
    ...['anthropic.claude-3-5-sonnet-20241022-v2:0', 'claude-instant-1.2', 'claude-2.1', 'anthropic.claude-v2:1'],
    ...['my-model', 'my-claude-opus-5', 'claude-mythos-preview', 'claude-opus-latest', ''],
  ])('of which that is not known is as it was: %s', (model) => {
    const body = { model, ...sampling, thinking };
    expect(fittingModel(body, model)).toBe(body);
    expect(choosesItself(model)).toBe(false);
  });

  it('is fitted to the name that the upstream gets, for every client', () => {
    const sent = (name: 'chat' | 'responses' | 'gemini', request: ClientRequest, model: string): JsonObject => {
      const target = channelTarget({ channelType: 14, model, requestedModel: 'gpt-4o' });
      return JSON.parse(String(anthropic[name].toUpstream(request, target).body)) as JsonObject;
    };
    const chat = clientRequest({ messages: [{ role: 'user', content: 'x' }], ...sampling, thinking, max_tokens: 4000 });
    const { top_k: _, ...two } = sampling;
    const responses = clientRequest({ input: 'x', ...two }, { dialect: 'responses' });
    const generationConfig = { temperature: 0.2, topP: 0.9, topK: 5, thinkingConfig: { thinkingBudget: 2000 } };
    const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
    const gemini = clientRequest({ contents, generationConfig }, { dialect: 'gemini' });
    for (const [name, request] of Object.entries({ chat, responses, gemini })) {
      const written = sent(name as 'chat', request, 'claude-opus-5');
      for (const member of Object.keys(sampling)) expect(written).not.toHaveProperty(member);
      if (name !== 'responses') expect(written).toHaveProperty('thinking', { type: 'adaptive' });
    }
    expect(sent('chat', chat, 'claude-sonnet-4-5')).toMatchObject({ temperature: 0.2, top_k: 5, thinking });
    expect(sent('chat', chat, 'claude-sonnet-4-5')).not.toHaveProperty('top_p');
  });
});
