import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const FRESH_SECONDS = 5 * 60;
const CLOCK_SECONDS = 60;
/** Only lower case is accepted: a signature in another spelling would pass as one that was not used yet. */
const HASH = /^[0-9a-f]{64}$/;

export type TelegramFields = Record<string, string>;

const signed = (fields: TelegramFields, names: string[], botToken: string): Buffer =>
  createHmac('sha256', createHash('sha256').update(botToken).digest())
    .update(
      names
        .sort()
        .map((name) => `${name}=${fields[name]}`)
        .join('\n'),
    )
    .digest();

/**
 * The user id signed by the widget; `undefined` when the signature is not by this bot or older than five minutes. The
 * console adds `lang`, which Telegram does not always sign. See https://core.telegram.org/widgets/login, "Checking
 * authorization".
 */
export function telegramId(fields: TelegramFields, botToken: string, nowSeconds: number): string | undefined {
  const { hash = '', id = '', auth_date: date = '' } = fields;
  if (!HASH.test(hash)) return undefined;
  const given = Buffer.from(hash, 'hex');
  const names = Object.keys(fields).filter((name) => name !== 'hash');
  const matches = [names, names.filter((name) => name !== 'lang')].some((some) => {
    const expected = signed(fields, [...some], botToken);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  const age = nowSeconds - Number(date);
  const isFresh = /^\d{1,12}$/.test(date) && age <= FRESH_SECONDS && age >= -CLOCK_SECONDS;
  return matches && isFresh && botToken !== '' && /^\d{1,20}$/.test(id) ? id : undefined;
}
