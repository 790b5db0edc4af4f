import { describe, expect, it } from '@jest/globals';
import { assertionFault, vertexKey } from '@tollgate/testing';
import { channelTarget, clientRequest, dataOf, fixture, noTokens, play, replyContext } from '../../test/factories.js';
import { type UpstreamTokenSource, type ChannelTarget, type JsonObject, type TokenExchange } from '../adapter.js';
import { runsAt } from '../by-model.js';
import { authorized } from '../channel/authorized.js';
import { isRegion, publisherOf, regionOf } from './address.js';
import { vertex } from './index.js';
import { serviceAccountFault, vertexToken } from './service-account.js';

const ORIGIN = 'https://oauth.example';
const KEY = vertexKey(ORIGIN);
const target = (model: string, details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 41, key: KEY, other: 'us-east5', model, nowMs: Date.now(), ...details });
const json = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const sent = (model: string, body: JsonObject = json, details: Partial<ChannelTarget> = {}) =>
  vertex.chat.toUpstream(clientRequest(body), target(model, details));
const PLACE = 'https://us-east5-aiplatform.googleapis.com/v1/projects/fake-project/locations/us-east5/publishers';

describe('a request to Vertex', () => {
  it.each([
    ['gemini-2.0-flash', {}, `${PLACE}/google/models/gemini-2.0-flash:generateContent`],
    ['gemini-2.0-flash', { stream: true }, `${PLACE}/google/models/gemini-2.0-flash:streamGenerateContent?alt=sse`],
    ['claude-3-7-sonnet-20250219', {}, `${PLACE}/anthropic/models/claude-3-7-sonnet@20250219:rawPredict`],
    ['claude-3-5-sonnet-20241022', {}, `${PLACE}/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict`],
    ['claude-3-7-sonnet-20250219-thinking', {}, `${PLACE}/anthropic/models/claude-3-7-sonnet@20250219:rawPredict`],
    ['claude-sonnet-4@20250514', {}, `${PLACE}/anthropic/models/claude-sonnet-4@20250514:rawPredict`],
    [
      'claude-3-haiku-20240307',
      { stream: true },
      `${PLACE}/anthropic/models/claude-3-haiku@20240307:streamRawPredict?alt=sse`,
    ],
    [
      'meta/llama3-405b-instruct-maas',
      {},
      'https://us-east5-aiplatform.googleapis.com/v1beta1/projects/fake-project/locations/us-east5/endpoints/openapi/chat/completions',
    ],
  ])('for %s with %j has its address', (model, more, url) => {
    expect(sent(model, { ...json, ...more }).url).toBe(url);
  });

  it('refuses a name that leads to another address', () => {
    expect(() => sent('gemini-2.0-flash/../../x')).toThrow('gemini-2.0-flash/../../x');
    expect(() => sent('claude-sonnet-4/../../x')).toThrow('claude-sonnet-4/../../x');
  });

  it('says the version and not the model to Claude, and keeps Claude’s settings', () => {
    const settings = { ...target('m').settings };
    const modelHeaders = { 'claude-3-haiku-20240307': { 'anthropic-beta': 'a-1' } };
    const claude = { ...settings.claude, defaultMaxTokens: { default: 77 }, modelHeaders };
    const { body, headers } = sent('claude-3-haiku-20240307', json, { settings: { ...settings, claude } });
    expect(JSON.parse(String(body))).toEqual({
      max_tokens: 77,
      messages: [{ role: 'user', content: 'hi' }],
      anthropic_version: 'vertex-2023-10-16',
    });
    expect(headers).toMatchObject({ 'anthropic-beta': 'a-1' });
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-api-key', 'anthropic-version']));
  });

  it("runs Google's tools for models of Google alone", () => {
    const at = (name: keyof typeof vertex & ('chat' | 'gemini'), model: string) => [
      runsAt(vertex[name].runsGoogleTools, model),
      runsAt(vertex[name].runsSearches, model),
    ];
    expect([at('chat', 'gemini-2.5-pro'), at('gemini', 'gemini-2.5-pro')]).toEqual([
      [true, false],
      [false, true],
    ]);
    for (const model of ['claude-sonnet-4@20250514', 'meta/llama3-405b-instruct-maas', 'nobodys'])
      expect([at('chat', model), at('gemini', model)].flat()).toEqual([false, false, false, false]);
  });

  it('takes the region by the name that the client knows', () => {
    const other = '{"default":"us-central1","mine":"europe-west4"}';
    const region = (requestedModel: string) => regionOf(target('gemini-2.0-flash', { other, requestedModel }));
    expect([region('mine'), region('constructor'), region('x')]).toEqual([
      'europe-west4',
      'us-central1',
      'us-central1',
    ]);
    expect(() => regionOf(target('m', { other: 'a.evil/x' }))).toThrow('no region');
    expect(() => regionOf(target('m', { other: '{}' }))).toThrow('no region');
    // Not the fault of the key.
    const none = (): string => regionOf(target('m', { other: '' }));
    expect(none).toThrow(expect.objectContaining({ code: 'channel:invalid_region', faultClass: 'upstream' }));
    expect(['us-central1', 'northamerica-northeast2', 'global', 'eu', 'me-west1'].every(isRegion)).toBe(true);
    expect(sent('gemini-x', json, { other: 'global' }).url).toContain('https://aiplatform.googleapis.com/v1/projects');
    expect(sent('gemini-x', json, { baseUrl: 'http://gate:1/', other: 'eu' }).url).toMatch(/^http:\/\/gate:1\/v1\//);
  });

  it('is refused for an unknown model, and for an invalid key', async () => {
    expect(() => publisherOf('gpt-4o')).toThrow('unsupported request mode');
    // What is asked of all channels of a model, before one is chosen, does not fail.
    for (const adapter of [vertex.chat, vertex.messages, vertex.responses, vertex.gemini]) {
      expect(runsAt(adapter?.convertsPictureTexts, 'mistral-large-2411')).toBe(false);
      expect(adapter?.boundsUnchanged?.({}, 'mistral-large-2411')).toBeUndefined();
    }
    const unkeyed = target('gemini-2.0-flash', { key: '{}' });
    await expect(authorized(vertex, sent('gemini-2.0-flash'), unkeyed, noTokens)).rejects.toThrow('project_id');
  });
});

describe('a token of Vertex', () => {
  const asked = async (exchange: TokenExchange) => {
    const { url, body } = await exchange.buildRequest();
    return { url, form: new URLSearchParams(String(body)) };
  };

  it('is requested with a valid assertion at the address in the key', async () => {
    const { url, form } = await asked(vertexToken(target('gemini-2.0-flash')));
    expect(url).toBe(`${ORIGIN}/vertex/token`);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(assertionFault(form.get('assertion') ?? '', url)).toBeUndefined();
    expect(assertionFault(form.get('assertion') ?? '', 'https://other.example')).toBeDefined();
  });

  it('authenticates the request, and differs by key and proxy', async () => {
    const seen: string[] = [];
    const tokens: UpstreamTokenSource = { get: ({ id }) => Promise.resolve(`token-${seen.push(id)}`) };
    const request = await authorized(vertex, sent('gemini-2.0-flash'), target('m'), tokens);
    expect(request).toMatchObject({
      headers: { authorization: 'Bearer token-1' },
      grant: { id: seen[0], token: 'token-1' },
    });
    await authorized(vertex, request, target('m', { key: vertexKey(ORIGIN, { private_key_id: '2' }) }), tokens);
    await authorized(vertex, request, target('m', { setting: { proxy: 'http://p:1' } }), tokens);
    expect(new Set(seen).size).toBe(3);
    expect(KEY).not.toContain(seen[0]);
  });

  it('is read from the reply; a refusal is classified by its cause', () => {
    const { read } = vertexToken(target('m'));
    const reply = (status: number, body: object) => () => read({ status, body: Buffer.from(JSON.stringify(body)) });
    expect(reply(200, { access_token: 't', expires_in: 100 })()).toEqual({ token: 't', lifetimeMs: 100_000 });
    expect(reply(400, { error: 'invalid_grant', error_description: 'Invalid JWT' })).toThrow(
      expect.objectContaining({ code: 'channel:token_refused', faultClass: 'credential' }),
    );
    expect(reply(503, {})).toThrow(expect.objectContaining({ faultClass: 'upstream' }));
    for (const token of ['t\n', 't\u0000', 't t', 'tö'])
      expect(reply(200, { access_token: token })).toThrow(expect.objectContaining({ faultClass: 'upstream' }));
  });

  it.each([
    ['sk-1', 'json'],
    ['{}', 'project_id'],
    [vertexKey(ORIGIN, { project_id: '../x' }), 'project_id'],
    [vertexKey(ORIGIN, { client_email: '' }), 'client_email'],
    [vertexKey(ORIGIN, { private_key: 'x' }), 'private_key'],
    [vertexKey(ORIGIN, { token_uri: 'ftp://x' }), 'token_uri'],
    [KEY, undefined],
  ])('is never asked for with a key like %.30s', (key, fault) => {
    expect(serviceAccountFault(key)).toBe(fault);
  });
});

describe('a reply of Vertex', () => {
  it.each([
    ['claude-3-7-sonnet-20250219', 'anthropic'],
    ['gemini-2.5-pro', 'gemini'],
    ['meta/llama3-405b-instruct-maas', 'openai-compatible'],
  ])('is read in the dialect of %s, under whatever name it was asked for', (upstreamModel, folder) => {
    const file = folder === 'openai-compatible' ? 'text-with-usage.sse' : 'text.sse';
    const stream = vertex.chat.openStream(replyContext({ model: 'mine', upstreamModel, includeUsage: true }));
    const frames = play(stream, fixture(`${import.meta.dirname}/../${folder}`, file));
    expect(stream.usage()).toBeDefined();
    const texts = dataOf(frames).map((data) => JSON.stringify(data));
    expect(texts.join('')).toContain('"content":"');
  });
});
