import { Injectable } from '@nestjs/common';
import { resolveTokens, resolveUsers, TokenStatus, UserStatus } from '@tollgate/contracts';
import { AppError, InternalClient, isAddressAllowed, SecretBox } from '@tollgate/chassis';

/** The purpose under which billing and relay hash keys, too. */
const TOKEN_KEY = 'token-key';
const KEY_FORM = /^[0-9A-Za-z]{48}$/;

const refuse = (code: string, message: string): AppError => new AppError('forbidden', code, message);

/**
 * Authenticates readers of the log of a token by its key, as for a model call and with the same errors. Unlike
 * there, exhausted and expired tokens are accepted, because their holders want to see what they were used for.
 */
@Injectable()
export class LogKey {
  constructor(
    private readonly internal: InternalClient,
    private readonly secrets: SecretBox,
  ) {}

  /** Returns the id of the token. `text` is the key in any accepted spelling, `address` that of the client. */
  async tokenOf(text: string, address: string): Promise<number> {
    const key = plainKey(text);
    const { tokens } = KEY_FORM.test(key)
      ? await this.internal.call(resolveTokens, { keyHashes: this.secrets.hmacs(TOKEN_KEY, key) })
      : { tokens: [] };
    const [token] = tokens;
    if (!token) throw new AppError('not-found', 'token-not-found', '无效的令牌');
    if (token.status === TokenStatus.disabled) throw refuse('token-disabled', '该令牌状态不可用');
    const { users } = await this.internal.call(resolveUsers, { ids: [token.userId] });
    if (users[0]?.status !== UserStatus.enabled) throw refuse('user-banned', '用户已被封禁');
    if (!isAddressAllowed(address, token.allowIps))
      throw refuse('token-address-forbidden', '您的 IP 不在令牌允许访问的列表中');
    return token.id;
  }
}

/** The key without `Bearer ` and `sk-`, and without anything after it. */
function plainKey(text: string): string {
  const named = text
    .trim()
    .replace(/^Bearer\s+/i, '')
    .replace(/^sk-/, '');
  return named.split('-', 1)[0] ?? '';
}
