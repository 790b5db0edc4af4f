import { describe, expect, it } from '@jest/globals';
import { channelTypes, type ChannelTypeRow } from '@tollgate/contracts';
import { checkFields, checkKey, checkOther, checkTexts, parseObject } from './channel-rules.js';

const fields = { type: 1, baseUrl: '' };

describe('checkFields', () => {
  it.each([
    ['an unknown type', { type: 28 }, 'channel-type-unknown'],
    ['Azure without an endpoint', { type: 3 }, 'channel-address-missing'],
    ['a custom channel without its URL', { type: 8 }, 'channel-address-missing'],
    ['a password in the address', { baseUrl: 'https://user:secret@host.example' }, 'channel-address-with-credentials'],
    ['a query in the address', { baseUrl: 'https://host.example/?to=' }, 'channel-address-with-query'],
    ['a fragment in the address', { baseUrl: 'https://host.example#' }, 'channel-address-with-query'],
    ['a fragment in a custom URL', { type: 8, baseUrl: 'https://host.example/{model}#' }, 'channel-address-with-query'],
    ['a host that the model names', { type: 8, baseUrl: 'https://{model}/chat' }, 'channel-address-host-varies'],
    [
      'a port that the model names',
      { type: 8, baseUrl: 'https://host.example:{model}/chat' },
      'channel-address-host-varies',
    ],
    ['a model that is the address', { type: 8, baseUrl: '{model}/v1' }, 'channel-address-host-varies'],
    ['a host without a scheme', { type: 8, baseUrl: '//{model}/v1' }, 'channel-address-host-varies'],
    ['a host that the model ends', { type: 8, baseUrl: 'https://host.{model}' }, 'channel-address-host-varies'],
  ])('refuses %s', (_, change, code) => {
    expect(() => checkFields({ ...fields, ...change })).toThrow(expect.objectContaining({ code }));
  });

  it.each([2, 5, 11, 21])('accepts a channel of type %d, which serves no chat', (type) => {
    expect(() => checkFields({ ...fields, type })).not.toThrow();
  });

  it('accepts a type with its default address, and a custom type with its own', () => {
    expect(() => checkFields(fields)).not.toThrow();
    expect(() => checkFields({ ...fields, type: 8, baseUrl: 'https://host.example/{model}/chat' })).not.toThrow();
    expect(() => checkFields({ ...fields, type: 8, baseUrl: 'https://host.example/{model}?v=1' })).not.toThrow();
  });
});

describe('checkOther', () => {
  it.each([
    ['Cloudflare without an account', 39, '', 'channel-account-missing'],
    ['Coze without a bot', 49, '', 'channel-bot-missing'],
    ['Vertex without a region', 41, '', 'channel-region-missing'],
    ['Vertex without a usual region', 41, '{"m":"us-east5"}', 'channel-region-without-default'],
    ['Vertex in no region', 41, '{"default":"x/y"}', 'channel-region-unknown'],
  ])('refuses %s', (_, type, other, code) => {
    expect(() => checkOther({ type, other })).toThrow(
      expect.objectContaining({ code, details: expect.objectContaining({ field: 'other' }) }),
    );
  });

  it('refuses an empty one for exactly the types that need it', () => {
    const refused = Object.keys(channelTypes).filter((type) => {
      try {
        checkOther({ type: Number(type), other: '' });
        return false;
      } catch {
        return true;
      }
    });
    const needed = (Object.entries(channelTypes) as [string, ChannelTypeRow][]).filter(
      ([, { other }]) => other?.required,
    );
    expect(refused).toEqual(needed.map(([type]) => type));
  });
});

describe('checkTexts', () => {
  const texts = {
    ...{ organization: '', baseUrl: '', other: '', models: ['m'], groups: ['default'] },
    ...{ modelMapping: '', statusCodeMapping: '', paramOverride: '', setting: '' },
  };
  const document = 'x'.repeat(64 * 1024);

  it.each([
    ['paramOverride', document, 'param_override'],
    ['modelMapping', document, 'model_mapping'],
    ['statusCodeMapping', document, 'status_code_mapping'],
    ['setting', document, 'setting'],
    ['other', document, 'other'],
    ['models', [document], 'models'],
    ['groups', [document], 'group'],
    ['baseUrl', 'x'.repeat(2048), 'base_url'],
    ['organization', 'x'.repeat(2048), 'openai_organization'],
  ] as const)('limits %s', (field, most, name) => {
    const longer = typeof most === 'string' ? `${most}x` : [...most, 'x'];
    expect(() => checkTexts({ ...texts, [field]: most }, [field])).not.toThrow();
    expect(() => checkTexts({ ...texts, [field]: longer }, [field])).toThrow(
      expect.objectContaining({ code: 'channel-text-too-long', details: expect.objectContaining({ field: name }) }),
    );
    expect(() => checkTexts({ ...texts, [field]: longer }, ['name'])).not.toThrow();
  });

  it.each(['models', 'groups'] as const)('refuses line breaks in names of %s', (field) => {
    expect(() => checkTexts({ ...texts, [field]: ['a\nb'] }, [field])).toThrow(
      expect.objectContaining({ code: 'channel-name-unprintable' }),
    );
  });

  it('leaves room for the built-in models of all types', () => {
    const all = Object.values(channelTypes).flatMap(({ models }) => models);
    expect(() => checkTexts({ ...texts, models: [...new Set(all)] }, ['models'])).not.toThrow();
  });
});

describe('parseObject', () => {
  it.each([
    ['', undefined],
    ['{', undefined],
    ['[1]', undefined],
    ['null', undefined],
    ['{"a":1}', { a: 1 }],
  ])('reads %p as %p', (text, expected) => {
    expect(parseObject(text)).toEqual(expected);
  });
});

describe('checkKey', () => {
  it.each([
    [33, 'id|secret|us-east-1'],
    [1, 'sk-any|thing'],
    [22, 'fastgpt-key-appid'],
    [15, 'api|secret'],
    [16, 'id.secret'],
    [18, 'app|secret|key'],
    [23, 'app|id|key'],
    [26, 'a-plain-one'],
  ])('takes a key of type %d', (type, key) => {
    expect(() => checkKey(type, key)).not.toThrow();
  });

  it.each([
    ['a\u200bb', 'channel-key-unsendable'],
    ['a\rb', 'channel-key-unsendable'],
    ['ключ', 'channel-key-unsendable'],
    ['k'.repeat(5000), 'channel-key-too-long'],
  ])('names which of several keys cannot be sent in a header: %.10j', (key, code) => {
    expect(() => checkKey(1, key, 3)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining('第 3 个密钥') }),
    );
  });

  it.each(['', 'id', 'id|secret', 'id||us-east-1', 'id|secret|us-east-1|more'])('refuses %j for Bedrock', (key) => {
    expect(() => checkKey(33, key)).toThrow(expect.objectContaining({ code: 'channel-key-malformed' }));
  });

  it.each([
    [15, 'api', 'APIKey|SecretKey'],
    [16, 'id', 'id.secret'],
    [18, 'app|secret', 'APPID|APISecret|APIKey'],
    [23, 'app|id|', 'AppId|SecretId|SecretKey'],
  ])('reports for type %d that %j is not a valid key', (type, key, format) => {
    const message = `密钥格式应为 ${format}`;
    expect(() => checkKey(type, key)).toThrow(expect.objectContaining({ message }));
  });

  it('accepts only a service account file for Vertex', () => {
    expect(() => checkKey(41, 'sk-1')).toThrow(expect.objectContaining({ code: 'channel-key-not-json' }));
    expect(() => checkKey(41, '{}')).toThrow(expect.objectContaining({ code: 'channel-key-incomplete' }));
  });
});
