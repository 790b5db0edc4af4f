import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../adapter.js';
import { errorBody, errorFrame } from './error-body.js';
import { classifyError, findFault } from './faults.js';
import { maskSecrets, secretsOf } from './mask-secrets.js';

const classify = (status: number, body: object | string, channelType = 1) =>
  classifyError({ status, body: typeof body === 'string' ? body : JSON.stringify(body), channelType });
const error = (details: object) => ({ error: { message: 'm', ...details } });

describe('classifyError', () => {
  it.each([
    [401, {}, 1, 'credential'],
    [403, {}, 24, 'credential'],
    [400, error({ code: 400, details: [{ reason: 'API_KEY_INVALID' }] }), 24, 'credential'],
    [400, `[${JSON.stringify(error({ details: [{ reason: 'API_KEY_INVALID' }] }))}]`, 24, 'credential'],
    [400, error({ code: 400, status: 'INVALID_ARGUMENT' }), 24, 'invalid'],
    [403, {}, 1, 'invalid'],
    [400, error({ code: 'invalid_api_key' }), 1, 'credential'],
    [403, error({ code: 'account_deactivated' }), 1, 'credential'],
    [429, error({ type: 'insufficient_quota' }), 1, 'credential'],
    [403, error({ type: 'permission_error' }), 14, 'credential'],
    [429, error({ type: 'rate_limit_error' }), 1, 'rate-limited'],
    [400, error({ type: 'invalid_request_error' }), 1, 'invalid'],
    [408, {}, 1, 'timeout'],
    [504, {}, 1, 'timeout'],
    [524, {}, 1, 'timeout'],
    [500, {}, 1, 'upstream'],
    [307, {}, 1, 'upstream'],
  ])('judges status %d with %j on type %d as %s', (status, body, channelType, expected) => {
    expect(classify(status, body, channelType).class).toBe(expected);
  });

  it("takes the upstream's error object whole", () => {
    expect(classify(404, error({ type: 't', code: 'c', param: 'p' }))).toEqual({
      class: 'invalid',
      message: 'm',
      type: 't',
      code: 'c',
      param: 'p',
    });
  });

  it.each([
    [error({ code: 1211 }), { code: '1211', statedCode: 1211 }, 1211],
    [error({ code: null }), { code: '', statedCode: null }, null],
    [error({ type: 'overloaded_error' }), { code: '', statedCode: null }, null],
    [error({ code: '1211' }), { code: '1211' }, '1211'],
  ])('tells clients the code of %j as it is', (body, judged, code) => {
    const fault = classify(500, body);
    expect(fault).toMatchObject(judged);
    expect(errorBody('openai', fault, 'r1')).toMatchObject({ error: { code } });
  });

  it.each([
    [{ message: 'one' }, 'one'],
    [{ msg: 'two', err: 'x' }, 'two'],
    [{ error: 'three' }, 'three'],
    [{ error_msg: 'four' }, 'four'],
    [{ header: { message: 'five' } }, 'five'],
    [{ response: { error: { message: 'six' } } }, 'six'],
    ['<html>nginx</html>', 'bad response status code 502'],
    ['', 'bad response status code 502'],
    [{ message: '', code: 1 }, 'bad response status code 502'],
  ])('finds the message of %j', (body, message) => {
    expect(classify(502, body)).toMatchObject({
      message,
      type: 'upstream_error',
      code: 'bad_response_status_code',
      param: '502',
    });
  });

  it.each([
    ['', true],
    ['<html>nginx</html>', true],
    [{ error: { message: '', type: 't' } }, true],
    [error({}), undefined],
    [{ message: 'bad response status code 502' }, undefined],
  ])('says of %j whether its message is ours, and clients do not learn it', (body, isUnstated) => {
    const fault = classify(502, body);
    expect(fault.isUnstated).toBe(isUnstated);
    for (const dialect of ['openai', 'anthropic', 'gemini', 'responses'] as const) {
      expect(JSON.stringify(errorBody(dialect, fault, 'r1'))).not.toContain('isUnstated');
      expect(String(errorFrame(dialect, fault, 'r1'))).not.toContain('isUnstated');
    }
  });
});

describe('findFault', () => {
  it('sees an error inside a 200', () => {
    expect(findFault({ error: { message: 'm', type: 'rate_limit_error' } })?.class).toBe('rate-limited');
    expect(findFault({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })?.message).toBe(
      'Overloaded',
    );
    expect(findFault({ base_resp: { status_code: 1004, status_msg: 'no such key' } })?.message).toBe('no such key');
    expect(findFault({ success: false, msg: 'no' })?.message).toBe('no');
  });

  it.each([
    [error({ type: 'overloaded_error' }), 529, 'upstream'],
    [error({ code: 503, status: 'UNAVAILABLE' }), 503, 'upstream'],
    [error({ code: 403, details: [{ reason: 'SERVICE_DISABLED' }] }), 403, 'invalid'],
    [error({ code: '429' }), 429, 'rate-limited'],
    [error({ code: 401 }), 401, 'credential'],
    [error({ type: 'rate_limit_error' }), 429, 'rate-limited'],
    [error({ code: 'rate_limit_exceeded' }), 429, 'rate-limited'],
    [error({ type: 'invalid_request_error' }), 400, 'invalid'],
    [error({ type: 'timeout_error' }), 504, 'timeout'],
    [error({ type: 'server_error' }), undefined, 'upstream'],
    [error({ type: 'constructor', code: 1301 }), undefined, 'upstream'],
    [error({ code: 200 }), undefined, 'upstream'],
    [error({ code: 600 }), undefined, 'upstream'],
  ])('takes the status that %j states', (body, status, expected) => {
    const fault = findFault(body as JsonObject);
    expect([fault?.status, fault?.class]).toEqual([status, expected]);
    // A refusal has a status of its own.
    expect(classify(418, body).status).toBeUndefined();
  });

  it.each([{ message: 'm' }, { code: 'c' }, { code: 7 }, { message: '', type: 't', code: null }])(
    'sees an error of which only %j is stated',
    (stated) => {
      expect(findFault({ error: stated })).toMatchObject({ class: 'upstream' });
    },
  );

  it('sees an error that has its members at the top level', () => {
    expect(findFault({ code: 'Throttling', message: 'too fast', request_id: 'r1' })).toEqual({
      class: 'upstream',
      message: 'too fast',
      type: 'Throttling',
      code: 'Throttling',
      param: 'r1',
    });
  });

  it('takes only the message of such an error in a reply with another status', () => {
    expect(classify(400, { code: 'forbidden', message: 'no', request_id: 'r1' })).toMatchObject({
      class: 'invalid',
      message: 'no',
      type: 'upstream_error',
      code: 'bad_response_status_code',
      param: '400',
    });
  });

  it('finds no fault in ordinary replies', () => {
    expect(findFault({ choices: [], error: null, base_resp: { status_code: 0 } })).toBeUndefined();
    expect(findFault({ choices: [], error: { message: '', type: '', param: '', code: null } })).toBeUndefined();
    expect(findFault({ choices: [], error: { message: '', code: 0 } })).toBeUndefined();
    expect(findFault({ choices: [], error: {} })).toBeUndefined();
    expect(findFault({ type: 'message', content: [] })).toBeUndefined();
    expect(findFault({ code: '', message: '', request_id: 'r1', output: {} })).toBeUndefined();
    const told = { code: 'Success', message: 'ok', request_id: 'r1' };
    expect(findFault({ ...told, choices: [] })).toBeUndefined();
    expect(findFault({ ...told, output: {} })).toBeUndefined();
    expect(findFault({ ...told, results: [] })).toBeUndefined();
  });
});

describe('maskSecrets', () => {
  it.each([
    ['see https://api.openai.com/v1/keys?k=1 now', 'see https://*** now'],
    ['dial tcp 10.0.0.7:8443: refused', 'dial tcp ***: refused'],
    ['lookup llm.internal:8080 failed', 'lookup *** failed'],
    ['connect ECONNREFUSED localhost:11434', 'connect ECONNREFUSED ***'],
    ['cannot reach api.internal.corp', 'cannot reach ***'],
    ['cannot reach llm.acme.example:8443 today', 'cannot reach *** today'],
    ['getaddrinfo ENOTFOUND models.acme.eu', 'getaddrinfo ENOTFOUND ***'],
    ['dial tcp: lookup gpu-box on 10.0.0.1:53: no such host', 'dial tcp: lookup *** on ***: no such host'],
    [`token 24.${'0f'.repeat(16)}.2592000.1485516651.282335-8574074 is invalid`, 'token *** is invalid'],
    ['Incorrect API key provided: sk-abc1****wxyz.', 'Incorrect API key provided: ***.'],
    ['limit for gpt-4o in organization org-AbCd1234EfGh on tokens', 'limit for gpt-4o in organization *** on tokens'],
    ['mail admin@example.com', 'mail ***'],
    ['Authorization: Bearer abcdefgh12345', 'Authorization: Bearer ***'],
    ['Authorization: Basic YXBpOmhpZGRlbg==', 'Authorization: Basic ***'],
    ['authorization: basic YXBpOmhpZGRlbg==', 'authorization: basic ***'],
    ['host [2001:db8:0:1:0:0:0:5]:443', 'host ***'],
    ['key 0123456789abcdef0123456789ABCDEF', 'key ***'],
  ])('turns %j into %j', (message, masked) => {
    expect(maskSecrets(message)).toBe(masked);
  });

  it.each([
    "Invalid value for 'messages.0.content': expected a string",
    'The model `gpt-4o-mini-realtime-preview-2024-12-17` does not exist, e.g. use gpt-3.5-turbo at 12:30:45',
    'max_tokens must be <= 8192; temperature 0.5 is fine',
    'The lookup failed. A lookup table is needed, see line 12 of messages.0.content.',
    '当前分组上游负载已饱和，请稍后再试',
    'Basic authentication is not supported, use Basic Authorization or basic auth',
  ])('leaves %j as it is', (message) => {
    expect(maskSecrets(message)).toBe(message);
  });

  it('takes a value that is longer than a regular expression can be, and one that the cut goes through', () => {
    expect(maskSecrets(`the key ${'k.'.repeat(50_000)} is wrong`, ['K.'.repeat(50_000)])).toBe('the key *** is wrong');
    const value = 'a-very-long-and-secret-value';
    const told = maskSecrets(`${'a '.repeat(990)}${value} ${'a '.repeat(990)}`, [value]);
    expect([told.length, told.includes('a-very')]).toEqual([2001, false]);
    expect(maskSecrets('İstanbul SECRETS and secrets', ['secrets'])).toBe('İstanbul SECRETS and ***');
  });

  it('masks the account data in a key that is a JSON file', () => {
    const key = JSON.stringify({ project_id: 'acme-prod', client_email: 'a@b.iam', private_key: 'x' });
    const secrets = secretsOf({ key, baseUrl: '', organization: '' });
    expect(maskSecrets('no access to projects/acme-prod with ya29.abc-D_e', secrets)).toBe(
      'no access to projects/*** with ***',
    );
  });

  it("masks this channel's own values whatever they look like", () => {
    const secrets = secretsOf({ key: 'appid|hidden(word', baseUrl: 'http://gpu-box:9000/x', organization: 'acme' });

    expect(maskSecrets('hidden(word at GPU-BOX:9000 of acme', secrets)).toBe('*** at *** of ***');
  });

  it.each(['', 'a', 'ab', 'api:', 'user:x'])('masks them coded in Base64 behind %j as well', (before) => {
    const key = 'hidden(word)?>~with ÿÿÿ marks';
    for (const after of ['', ':', ':password']) {
      for (const alphabet of ['base64', 'base64url'] as const) {
        const word = Buffer.from(before + key + after).toString(alphabet);
        expect(maskSecrets(`wrong header "${word}", sent ${word} twice`, [key])).toBe(
          'wrong header "***", sent *** twice',
        );
      }
    }
  });

  it('cuts long messages', () => {
    expect(maskSecrets('a '.repeat(5000))).toHaveLength(2001);
  });
});

describe('errorBody', () => {
  const details = { message: 'no', type: 'new_api_error', code: 'x' };

  it("has each dialect's shape and the request id", () => {
    expect(errorBody('openai', details, 'r1')).toEqual({
      error: { message: 'no (request id: r1)', type: 'new_api_error', param: '', code: 'x' },
    });
    expect(errorBody('anthropic', details, 'r1')).toEqual({
      type: 'error',
      error: { type: 'new_api_error', message: 'no (request id: r1)' },
      request_id: 'r1',
    });
    expect(errorBody('gemini', details, 'r1', 403)).toEqual({
      error: {
        ...{ code: 403, message: 'no (request id: r1)', status: 'PERMISSION_DENIED' },
        details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'x', domain: 'tollgate' }],
      },
    });
  });

  it.each([
    [404, 'NOT_FOUND'],
    [418, 'INVALID_ARGUMENT'],
    [422, 'INVALID_ARGUMENT'],
    [500, 'INTERNAL'],
    [502, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
  ])("states %i as Google's %s", (status, name) => {
    expect(errorBody('gemini', details, 'r1', status)).toMatchObject({ error: { code: status, status: name } });
  });

  it("has details for Anthropic's clients alone", () => {
    const detailed = { ...details, details: { error_code: 'y' } };
    expect(errorBody('anthropic', detailed, 'r1')).toMatchObject({ error: { details: { error_code: 'y' } } });
    for (const dialect of ['openai', 'gemini'] as const)
      expect(errorBody(dialect, detailed, 'r1')).toEqual(errorBody(dialect, details, 'r1'));
  });

  it('has a message as it is, where its text is a documented one', () => {
    expect(errorBody('openai', { ...details, isPlain: true }, 'r1')).toMatchObject({ error: { message: 'no' } });
  });

  it('is an event of a stream that has begun', () => {
    expect(errorFrame('openai', details, 'r1').toString()).toMatch(/^data: \{"error":.*\}\n\n$/);
    expect(errorFrame('anthropic', details, 'r1').toString()).toMatch(/^event: error\ndata: \{"type":"error".*\}\n\n$/);
    expect(errorFrame('gemini', { ...details, status: 429 }, 'r1').toString()).toMatch(
      /^data: \{"error":\{"code":429,/,
    );
    expect(errorFrame('gemini', { ...details, statedCode: 1301 }, 'r1').toString()).toMatch(/"code":500,/);
  });
});
