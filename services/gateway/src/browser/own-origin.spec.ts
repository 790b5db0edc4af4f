import { describe, expect, it } from '@jest/globals';
import { isOwnOrigin, isPlainJson } from './own-origin.js';

describe('isOwnOrigin', () => {
  const here = {
    host: 'gate.example:3000',
    protocol: 'https',
    addresses: ['https://console.example', 'no address', ''],
  };
  const judge = (headers: Record<string, string>, change = {}): boolean => isOwnOrigin({ ...here, ...change, headers });

  it.each([
    ['a client that is no browser', {}],
    ['our own page', { origin: 'https://gate.example:3000', 'sec-fetch-site': 'same-origin' }],
    ['our own page in an old browser', { origin: 'https://gate.example:3000' }],
    ['a page below the address that people are told', { origin: 'https://console.example' }],
    ['our own page behind a proxy that renames us', { origin: 'https://x.example', 'sec-fetch-site': 'same-origin' }],
    ['a person, not a page', { 'sec-fetch-site': 'none' }],
  ])('takes %s', (_, headers) => {
    expect(judge(headers)).toBe(true);
  });

  it.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site in an old browser', { origin: 'https://evil.example' }],
    ['another site that hides its name', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of our site', { origin: 'https://other.example:3000', 'sec-fetch-site': 'same-site' }],
    ['a neighbour that hides its name', { 'sec-fetch-site': 'same-site' }],
    ['another port of our host', { origin: 'https://gate.example:3001' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a sandboxed page of ours', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['a page of an extension', { origin: 'chrome-extension://gate.example:3000' }],
    ['a file', { origin: 'file://' }],
    ['an origin that cannot be read', { origin: 'gate.example:3000' }],
    ['two origins', { origin: 'https://gate.example:3000 https://evil.example' }],
    ['an insecure page of our name', { origin: 'http://gate.example:3000' }],
    ['a word that no browser says', { 'sec-fetch-site': 'maybe' }],
    ['an address that is none', { origin: 'no address' }],
  ])('refuses %s', (_, headers) => {
    expect(judge(headers)).toBe(false);
  });

  it('accepts an https page when a load balancer in front ends TLS', () => {
    expect(judge({ origin: 'https://gate.example:3000' }, { protocol: 'http' })).toBe(true);
    expect(judge({ origin: 'http://gate.example:3000' }, { protocol: 'http' })).toBe(true);
  });

  it('treats the default port as equal to no port', () => {
    expect(judge({ origin: 'https://gate.example' }, { host: 'gate.example:443' })).toBe(true);
    expect(judge({ origin: 'http://gate.example' }, { host: 'gate.example:80', protocol: 'http' })).toBe(true);
  });
});

describe('isPlainJson', () => {
  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])('takes %s', (type) => {
    expect(isPlainJson({ 'content-type': type, 'content-length': '2' })).toBe(true);
  });

  it('takes a request without a body', () => {
    expect(isPlainJson({})).toBe(true);
    expect(isPlainJson({ 'content-length': '0' })).toBe(true);
  });

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain; application/json',
    'application/jsonp',
  ])('refuses a body that is %s', (type) => {
    expect(isPlainJson({ 'content-type': type, 'transfer-encoding': 'chunked' })).toBe(false);
    expect(isPlainJson({ 'content-type': type, 'content-length': '2' })).toBe(false);
  });
});
