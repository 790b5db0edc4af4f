import { describe, expect, it } from '@jest/globals';
import { signatureFault } from '@tollgate/testing';
import { channelTarget, clientRequest, noTokens } from '../../test/factories.js';
import { type ChannelTarget, ChannelUnusable, type JsonObject, type UpstreamRequest } from '../adapter.js';
import { authorized } from '../channel/authorized.js';
import { classifyError } from '../faults/faults.js';
import { invokeUrl, modelIdOf } from './address.js';
import { bedrock } from './index.js';

const MODEL = 'claude-3-haiku-20240307';
const KEY = 'AKIDEXAMPLE|secret/with+signs=|eu-west-3';
const target = (details: Partial<ChannelTarget> = {}): ChannelTarget =>
  channelTarget({ channelType: 33, key: KEY, model: MODEL, ...details });
const json = { model: MODEL, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
const bodyOf = ({ body }: UpstreamRequest): JsonObject => JSON.parse(String(body)) as JsonObject;

describe('a request to Bedrock', () => {
  it('names model and streaming in the path, version and beta features in the body', () => {
    const request = clientRequest(
      { ...json, stream: true },
      { dialect: 'anthropic', headers: { 'anthropic-beta': 'interleaved-thinking-2025-05-14,context-1m-2025-08-07' } },
    );
    const upstream = bedrock.messages.toUpstream(request, target());
    expect(upstream.url).toBe(
      'https://bedrock-runtime.eu-west-3.amazonaws.com/model/eu.anthropic.claude-3-haiku-20240307-v1%3A0/invoke-with-response-stream',
    );
    expect(bodyOf(upstream)).toEqual({
      max_tokens: 5,
      messages: json.messages,
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['interleaved-thinking-2025-05-14'],
    });
    expect(upstream.headers).not.toHaveProperty('x-api-key');
  });

  it('is not signed for an address that is none, which is not held against the key', async () => {
    const broken = target({ baseUrl: 'bedrock.internal/without/a/scheme' });
    const request = bedrock.chat.toUpstream(clientRequest(json), broken);
    const refused = authorized(bedrock, request, broken, noTokens);
    await expect(refused).rejects.toThrow(ChannelUnusable);
    await expect(refused).rejects.toMatchObject({ code: 'channel:invalid_address', faultClass: 'network' });
  });

  it('takes chat, and lets no client choose its own version or beta features', () => {
    const chat = clientRequest({ ...json, anthropic_beta: ['context-1m-2025-08-07'], anthropic_version: 'x' });
    const { url, body } = bedrock.chat.toUpstream(chat, target());
    expect(url).toMatch(/\/invoke$/);
    expect(JSON.parse(String(body))).toEqual({
      max_tokens: 5,
      messages: [{ role: 'user', content: 'hi' }],
      anthropic_version: 'bedrock-2023-05-31',
    });
    const messages = clientRequest({ ...json, anthropic_beta: ['context-1m-2025-08-07'] }, { dialect: 'anthropic' });
    expect(bodyOf(bedrock.messages.toUpstream(messages, target()))).not.toHaveProperty('anthropic_beta');
  });

  it('asks for JSON of a schema, in the words of Anthropic', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const response_format = { type: 'json_schema', json_schema: { name: 'n', schema } };
    const asked = bodyOf(bedrock.chat.toUpstream(clientRequest({ ...json, response_format }), target()));
    expect(asked.output_config).toEqual({ format: { type: 'json_schema', schema } });
  });

  it('asks for the model behind the suffix that means thinking', () => {
    const thinking = target({ model: 'claude-3-7-sonnet-20250219-thinking', key: 'a|b|us-east-1' });
    const { url, body } = bedrock.messages.toUpstream(clientRequest(json, { dialect: 'anthropic' }), thinking);
    expect(url).toContain('/us.anthropic.claude-3-7-sonnet-20250219-v1%3A0/');
    expect(JSON.parse(String(body))).toHaveProperty('thinking.type', 'enabled');
  });

  it.each([
    ['claude-3-5-sonnet-20241022', 'us-west-2', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0'],
    ['claude-3-5-sonnet-20241022', 'eu-west-1', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
    ['claude-3-5-sonnet-20240620', 'ap-southeast-2', 'apac.anthropic.claude-3-5-sonnet-20240620-v1:0'],
    ['claude-3-opus-20240229', 'ap-southeast-2', 'anthropic.claude-3-opus-20240229-v1:0'],
    ['claude-2.1', 'us-east-1', 'anthropic.claude-v2:1'],
    ['us.anthropic.claude-opus-4-1-20250805-v1:0', 'us-east-1', 'us.anthropic.claude-opus-4-1-20250805-v1:0'],
  ])('calls %s in %s %s', (model, region, id) => {
    expect(modelIdOf(model, region)).toBe(id);
  });

  it('goes to the address of the channel, where it has one', () => {
    expect(invokeUrl(target({ baseUrl: 'https://vpce-1.example/' }), 'arn:aws:bedrock:x/y', false)).toBe(
      'https://vpce-1.example/model/arn%3Aaws%3Abedrock%3Ax%2Fy/invoke',
    );
  });

  it.each([
    '',
    'id|secret',
    'id|secret|us-east-1|more',
    'id||us-east-1',
    'id|secret|evil.example/#',
    'id|secret|useast1',
  ])('is refused under the key %j, which may not choose the host', (key) => {
    expect(() => invokeUrl(target({ key }), MODEL, false)).toThrow(ChannelUnusable);
  });
});

describe('its signature', () => {
  it('is one that AWS would accept, over the body that is sent', async () => {
    const plain = bedrock.messages.toUpstream(clientRequest(json, { dialect: 'anthropic' }), target());
    const { url, method, headers, body = Buffer.alloc(0) } = await authorized(bedrock, plain, target(), noTokens);
    const { host, pathname } = new URL(url);
    const request = {
      method,
      path: pathname,
      headers: { ...headers, host, 'content-length': String(body.length) },
      body,
    };
    const keys = new Map([['AKIDEXAMPLE', 'secret/with+signs=']]);
    expect(headers['x-amz-date']).toBe('20231114T221320Z');
    expect(signatureFault(request, keys)).toBeUndefined();
    expect(signatureFault({ ...request, body: Buffer.from('{}') }, keys)).toBe('InvalidSignatureException');
    expect(signatureFault({ ...request, headers: { ...request.headers, host: 'x' } }, keys)).toBeDefined();
  });
});

describe('an error of Bedrock', () => {
  const classOf = (status: number, type: string, message = 'words'): string =>
    classifyError({
      status,
      body: bedrock.readError(JSON.stringify({ message }), { 'x-amzn-errortype': type }),
      channelType: 33,
    }).class;

  it('is classified by its name', () => {
    expect(classOf(403, 'InvalidSignatureException')).toBe('credential');
    expect(classOf(403, 'UnrecognizedClientException:http://internal.amazon.com/coral/')).toBe('credential');
    expect(classOf(403, 'AccessDeniedException')).toBe('credential');
    expect(classOf(429, 'ThrottlingException')).toBe('rate-limited');
    expect(classOf(408, 'ModelTimeoutException')).toBe('timeout');
    expect(classOf(400, 'ValidationException')).toBe('invalid');
    expect(classOf(503, 'ServiceUnavailableException')).toBe('upstream');
    expect(classOf(500, '')).toBe('upstream');
  });

  it('keeps the words, and has some where there are none', () => {
    const fault = classifyError({ status: 502, body: bedrock.readError('<html>', {}), channelType: 33 });
    expect(fault).toMatchObject({
      class: 'upstream',
      type: 'upstream_error',
      code: 'bad_response_status_code',
      message: 'bad response status code 502',
    });
    const told = bedrock.readError('{"message":"slow down"}', { 'x-amzn-errortype': 'ThrottlingException' });
    expect(classifyError({ status: 429, body: told, channelType: 33 })).toMatchObject({
      type: 'rate_limit_error',
      message: 'slow down',
    });
  });

  it('keeps the words of a proxy in front of it', () => {
    const told = bedrock.readError('{"error":{"message":"no route","type":"proxy_error","code":"E7"}}', {});
    expect(classifyError({ status: 502, body: told, channelType: 33 })).toMatchObject({
      class: 'upstream',
      message: 'no route',
      type: 'proxy_error',
      code: 'E7',
    });
  });
});
