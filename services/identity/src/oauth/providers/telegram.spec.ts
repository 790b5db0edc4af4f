import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { telegramId } from './telegram.js';

const NOW = 1_760_000_000;
const BOT = '42:secret';

function signedBy(bot: string, fields: Record<string, string>): Record<string, string> {
  const text = Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const hash = createHmac('sha256', createHash('sha256').update(bot).digest()).update(text).digest('hex');
  return { ...fields, hash };
}
const fields = { id: '7', first_name: 'Ann', username: 'ann', auth_date: String(NOW - 10) };

describe('telegramId', () => {
  it('accepts fields with a valid signature of the bot', () => {
    expect(telegramId(signedBy(BOT, fields), BOT, NOW)).toBe('7');
    expect(telegramId({ ...signedBy(BOT, fields), lang: 'en' }, BOT, NOW)).toBe('7');
    expect(telegramId(signedBy(BOT, { ...fields, lang: 'en' }), BOT, NOW)).toBe('7');
  });

  it.each([
    ['another bot', signedBy('43:other', fields)],
    ['nobody', fields],
    ['a signature of other fields', { ...signedBy(BOT, fields), id: '8' }],
    ['an old one', signedBy(BOT, { ...fields, auth_date: String(NOW - 301) })],
    ['one of tomorrow', signedBy(BOT, { ...fields, auth_date: String(NOW + 3600) })],
    ['no time', signedBy(BOT, { id: '7' })],
    ['no id', signedBy(BOT, { auth_date: String(NOW) })],
  ] as [string, Record<string, string>][])('does not believe %s', (_, given) => {
    expect(telegramId(given, BOT, NOW)).toBeUndefined();
  });

  it.each([
    ['in capitals', (hash: string) => hash.toUpperCase()],
    ['with more behind it', (hash: string) => `${hash}zz`],
    ['with a line break', (hash: string) => `${hash}\n`],
  ])('refuses a signature spelled %s, because a second spelling would pass as another signature', (_, respell) => {
    const { hash = '', ...rest } = signedBy(BOT, { ...fields, first_name: 'Bea' });
    expect(telegramId({ ...rest, hash: respell(hash) }, BOT, NOW)).toBeUndefined();
  });

  it('accepts nobody when no bot is configured', () => {
    expect(telegramId(signedBy('', fields), '', NOW)).toBeUndefined();
  });
});
