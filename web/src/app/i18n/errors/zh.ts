import type { texts as english } from './en.js';

/**
 * The only errors of the server whose Chinese message does not say what to do, because the requirements fix it. In all
 * other cases the console shows the server's own message in Chinese.
 */
export const texts: Partial<Record<keyof typeof english, string>> = {
  'balance-not-supported': '该渠道类型不支持查询余额',
  'oauth-state-wrong': '登录请求不是从此浏览器发起的，或已过期。请重新登录。',
  'telegram-invalid': 'Telegram 的登录凭据有误、已过期或已使用。请重新通过 Telegram 登录。',
};
