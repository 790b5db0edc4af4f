import { describe, expect, it } from '@jest/globals';
import { maskCredentials } from './channel.reply.js';

describe('the setting of a channel in lists', () => {
  it.each([
    ['{"proxy":"http://u:secret@h:1"}', '{"proxy":"http://***@h:1"}'],
    [String.raw`{"proxy": "http:\/\/u:secret@h:1"}`, '{"proxy":"http://***@h:1"}'],
    [String.raw`{"proxy":"http:\u002f\u002fu:secret\u0040h:1"}`, '{"proxy":"http://***@h:1"}'],
    ['{"proxy":"http://u:p@secret@h:1","force_format":true}', '{"proxy":"http://***@h:1","force_format":true}'],
    ['{"proxy":"http://u:secret/part@h:1"}', '{"proxy":"http://***@h:1"}'],
    ['{"proxy":"http:u:secret@h:1"}', '{"proxy":"http:***@h:1"}'],
    ['{"proxy":"u:secret@h:1"}', '{"proxy":"u:***@h:1"}'],
    ['{"other":"socks5://u:secret@h:1"}', '{"other":"socks5://***@h:1"}'],
    ['{"proxy":"http://u:p@secret@h:1"', '{"proxy":"http://***@h:1"'],
    [String.raw`{"proxy":"http:\/\/u:secret\"part@h:1"`, String.raw`{"proxy":"http:\/\/***@h:1"`],
  ])('shows %s without the password', (setting, shown) => {
    expect(maskCredentials(setting)).toBe(shown);
  });

  it.each(['', '{"proxy": "http://h:1"}', '{ "mail": "a@b.c" }'])('shows %j as it was entered', (setting) => {
    expect(maskCredentials(setting)).toBe(setting);
  });
});
