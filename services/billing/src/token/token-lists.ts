import { addressRange, AppError } from '@tollgate/chassis';

const MAX_ENTRIES = 200;

/** An address names no network interface (`%eth0`), because those of a replica are not the client's. */
const isEntry = (text: string): boolean => !text.includes('%') && addressRange(text) !== undefined;

/**
 * Normalizes a list to one address or CIDR range per line, IPv4 or IPv6, without commas and blanks. An invalid entry is
 * refused rather than skipped, because a list without its skipped entries could restrict nothing.
 */
export function toAddressList(text: string): string {
  const entries = [...new Set(text.split(/[\s,]+/).filter((entry) => entry !== ''))];
  const wrong = entries.find((entry) => !isEntry(entry));
  if (wrong !== undefined)
    throw new AppError('invalid', 'token-address-invalid', `IP 白名单格式错误：${wrong}`, {
      field: 'allow_ips',
      params: { entry: wrong },
    });
  if (entries.length > MAX_ENTRIES)
    throw new AppError('invalid', 'token-addresses-too-many', `IP 白名单最多 ${MAX_ENTRIES} 条`, {
      field: 'allow_ips',
      params: { most: MAX_ENTRIES },
    });
  return entries.join('\n');
}

/** Model names without blanks and duplicates. */
export const toModelList = (text: string): string =>
  [...new Set(text.split(',').map((model) => model.trim()))].filter((model) => model !== '').join(',');
