import { AppError } from '@tollgate/chassis';
import ipaddr from 'ipaddr.js';

const MAX_ENTRIES = 200;
/** Requires four plain decimals; the parser would also accept octal, hexadecimal and short forms. */
const DOTTED = /^\d{1,3}(\.\d{1,3}){3}$/;

function isAddress(text: string): boolean {
  return text.includes(':')
    ? ipaddr.IPv6.isValid(text) && !text.includes('%')
    : DOTTED.test(text) && ipaddr.IPv4.isValid(text);
}

function isEntry(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  if (!isAddress(address) || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (address.includes(':') ? 128 : 32);
}

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
    });
  return entries.join('\n');
}

/** Model names without blanks and duplicates. */
export const toModelList = (text: string): string =>
  [...new Set(text.split(',').map((model) => model.trim()))].filter((model) => model !== '').join(',');
