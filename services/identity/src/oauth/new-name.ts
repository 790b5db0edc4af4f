import { looksErased, mixesAlphabets, plainName } from '@tollgate/contracts';

const MOST_NAME = 12;
const MOST_DISPLAY = 20;
const SUFFIX = 4;

const cut = (text: string, most: number): string => Array.from(text).slice(0, most).join('');
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\s]/gu;

/** A username of ours out of a name at a provider; undefined when nothing of it will do. */
export function usernameFrom(name: string | undefined): string | undefined {
  const [local = ''] = plainName(name ?? '').split('@');
  const clean = cut(local.replace(UNPRINTABLE, ''), MOST_NAME);
  return clean === '' || mixesAlphabets(clean) || looksErased(clean) ? undefined : clean;
}

/** The name of a user who brings none. The number stays whole, because it alone tells one such name from another. */
export const numberedName = (provider: string, id: number): string =>
  `${cut(provider, MOST_NAME - 1 - String(id).length)}_${id}`;

/** Another name for when that one is taken. `random` yields as many digits as it is asked for. */
export const withSuffix = (name: string, random: (digits: number) => string): string =>
  `${cut(name, MOST_NAME - SUFFIX - 1)}_${random(SUFFIX)}`;

export const displayNameFrom = (name: string | undefined, fallback: string): string =>
  cut((name ?? '').replace(/\p{Cc}/gu, '').trim(), MOST_DISPLAY) || fallback;
