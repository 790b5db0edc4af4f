import { AppError } from '@tollgate/chassis';
import type { Token } from './token.entity.js';

/** Throws when a token to be enabled could not be used, so that its owner learns what to change first. */
export function checkEnabling(token: Token, nowSeconds: number): void {
  if (token.isExpired(nowSeconds)) {
    throw new AppError('conflict', 'token-expired', '令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期');
  }
  if (token.isExhausted()) {
    throw new AppError(
      'conflict',
      'token-exhausted',
      '令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度',
    );
  }
}

/** Throws unless the group is usable for the user and has a ratio. Empty means the user's own group. */
export function checkGroup(
  group: string,
  usable: Readonly<Record<string, string>>,
  ratios: Readonly<Record<string, number>>,
): void {
  if (group === '') return;
  if (!Object.hasOwn(usable, group))
    throw new AppError('forbidden', 'token-group-not-usable', `令牌分组 ${group} 已被禁用`, {
      field: 'group',
      params: { group },
    });
  if (!Object.hasOwn(ratios, group))
    throw new AppError('conflict', 'token-group-retired', `分组 ${group} 已被弃用`, {
      field: 'group',
      params: { group },
    });
}
