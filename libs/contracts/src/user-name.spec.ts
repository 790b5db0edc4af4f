import { describe, expect, it } from '@jest/globals';
import { registerSchema } from './api/user.js';
import { textLimits } from './text-limits.js';
import { mixesAlphabets, nameFault, nameKey, plainName } from './user-name.js';

const refusalOf = (username: string): string | undefined =>
  registerSchema.safeParse({ username, password: '12345678' }).error?.issues[0]?.message;

describe('nameKey', () => {
  it.each([
    ['case', 'ROOT', 'root'],
    ['full width', 'ｒｏｏｔ', 'root'],
    ['circles', 'ⓡⓞⓞⓣ', 'root'],
    ['ligatures', 'ﬁona', 'fiona'],
    ['old letters', 'ſam\u212A', 'samk'],
    ['Cyrillic', 'rооt', 'root'],
    ['nothing but Cyrillic', 'сосо', 'coco'],
    ['capital Cyrillic', 'ВОВ', 'bob'],
    ['nothing but Greek', 'ΝΙΚΟ', 'viko'],
    ['accents, however they are written', 'Ze\u0301', 'zé'],
    ['letters without their dot', 'adm\u0131n', 'admin'],
    ['spaces around', ' root ', 'root'],
  ])('is one for names that differ by %s only', (_, name, key) => {
    expect([nameKey(name), nameKey(name.toUpperCase()) === nameKey(name.toLowerCase())]).toEqual([key, true]);
  });

  it('differs for names that people can distinguish', () => {
    const names = ['root', 'r00t', 'rooт2', 'иван', 'ivan', '王小明', '王小', 'zé', 'ze', 'жук'];
    expect(new Set(names.map(nameKey)).size).toBe(names.length);
  });
});

describe('a username', () => {
  it('is kept in plain letters', () => {
    expect(plainName(' Ｒｏｏｔ ')).toBe('Root');
    expect(registerSchema.parse({ username: 'Ｒｏｏｔ', password: '12345678' }).username).toBe('Root');
  });

  it.each(['аdmin', 'rооt', 'αdmin', 'Ꭺdmin'])('is refused if its alphabets look alike: %s', (name) => {
    expect([mixesAlphabets(name), refusalOf(name)]).toEqual([true, '输入不合法 用户名混用了外观相似的字母']);
  });

  it.each(['root', 'иван', 'Νίκος', '小王wang', 'たなかtanaka', '김kim', 'สมชาย', 'жук-7', 'naïve'])(
    'may be %s',
    (name) => {
      expect([mixesAlphabets(name), refusalOf(name)]).toEqual([false, undefined]);
    },
  );

  it.each([
    ['', 'missing'],
    ['а@\u2800'.repeat(5) + 'b', 'long'],
    ['а@\u2800b', 'likeEmail'],
    ['а\u2800b', 'invisible'],
    ['аb', 'mixed'],
    ['erased-7', 'erased'],
    ['root', undefined],
  ])('is judged by one rule after the other: %j breaks %s', (name, fault) => {
    expect(nameFault(name, textLimits.username)).toBe(fault);
  });

  it.each([
    ['a\u2800b', '输入不合法 用户名包含不可见字符'],
    ['a\u3164b', '输入不合法 用户名包含不可见字符'],
    ['ａ＠ｂ', '输入不合法 用户名不能包含 @'],
    ['\uFDFA', '输入不合法 用户名最多 12 个字符'],
  ])('is judged as it is kept: %j', (name, message) => {
    expect(refusalOf(name)).toBe(message);
  });
});
