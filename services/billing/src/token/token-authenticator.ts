import { Injectable } from '@nestjs/common';
import { isAdmin, resolveUsers, TokenStatus, UserStatus } from '@tollgate/contracts';
import { AppError, Clock, InternalClient, isAddressAllowed, SecretBox } from '@tollgate/chassis';
import { keyFromHeader, TOKEN_KEY_HASH } from './token-key.js';
import type { Token } from './token.entity.js';
import { TokenQueries } from './token.queries.js';

const refusal = (code: string, message: string): AppError =>
  new AppError('unauthenticated', code, message, { status: 401 });

/** Checks a token for calls to billing itself, in the same order and with the same texts as the relay. */
@Injectable()
export class TokenAuthenticator {
  constructor(
    private readonly tokens: TokenQueries,
    private readonly internal: InternalClient,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** `address`: the client's address, since a token may be restricted to certain addresses. */
  async authenticate(header: string | undefined, address: string): Promise<Token> {
    const { key, channel } = keyFromHeader(header);
    if (key === '') throw refusal('token-missing', '未提供令牌');
    const token = await this.tokens.findByHash(this.secrets.hmacs(TOKEN_KEY_HASH, key));
    if (!token) throw refusal('token-unknown', '无效的令牌');
    this.checkState(token);
    const { users } = await this.internal.call(resolveUsers, { ids: [token.userId] });
    const [owner] = users;
    if (owner?.status !== UserStatus.enabled)
      throw new AppError('forbidden', 'user-banned', '用户已被封禁', { status: 403 });
    if (channel !== '' && !isAdmin(owner.role))
      throw new AppError('forbidden', 'channel-not-allowed', '普通用户不支持指定渠道', { status: 403 });
    if (!isAddressAllowed(address, token.allowedAddresses()))
      throw new AppError('forbidden', 'token-address-forbidden', '您的 IP 不在令牌允许访问的列表中', { status: 403 });
    return token;
  }

  private checkState(token: Token): void {
    const status = token.statusAt(this.clock.seconds());
    if (status === TokenStatus.exhausted)
      throw refusal('token-exhausted', `该令牌额度已用尽 TokenStatusExhausted[sk-${token.keyHint}]`);
    if (status === TokenStatus.expired) throw refusal('token-expired', '该令牌已过期');
    if (status !== TokenStatus.enabled) throw refusal('token-disabled', '该令牌状态不可用');
  }
}
