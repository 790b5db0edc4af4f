import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { isAdmin, TokenStatus, type TokenRecord, type UserRecord, UserStatus } from '@tollgate/contracts';
import { Clock, isAddressAllowed, OptionStore } from '@tollgate/chassis';
import { pricedName } from '@tollgate/pricing';
import { Refusal } from '../call/refusal.js';
import { TokenDirectory } from '../read-model/token-directory.js';
import { UserDirectory } from '../read-model/user-directory.js';
import { type ApiKey, apiKeyOf } from './api-key.js';

export interface Admitted {
  token: TokenRecord;
  user: UserRecord;
  /** The channel that an administrator's key names, as sent. */
  channel?: string;
}

/**
 * Checks a token and its user as documented, in the documented order. When both are in memory, no other service is
 * called.
 */
@Injectable()
export class Gatekeeper {
  constructor(
    private readonly tokens: TokenDirectory,
    private readonly users: UserDirectory,
    private readonly options: OptionStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws the refusal of the first check that fails. `isPaidFor`: a hold already covers the work in progress, so a
   * token with nothing left may still finish it.
   */
  admit(headers: IncomingHttpHeaders, path: string, isPaidFor = false): Promise<Admitted> | Admitted {
    const apiKey = apiKeyOf(headers, path);
    if (!apiKey) throw new Refusal(401, '未提供令牌', 'token_missing');
    const found = apiKey.wellFormed ? this.tokens.find(apiKey.key) : undefined;
    return found instanceof Promise
      ? found.then((token) => this.admitToken(token, apiKey, isPaidFor))
      : this.admitToken(found, apiKey, isPaidFor);
  }

  private admitToken(token: TokenRecord | undefined, apiKey: ApiKey, isPaidFor: boolean): Promise<Admitted> | Admitted {
    if (!token) throw new Refusal(401, '无效的令牌', 'invalid_token');
    try {
      this.checkToken(token, isPaidFor);
    } catch (error) {
      throw ofToken(error, token);
    }
    const known = this.users.find(token.userId);
    return known instanceof Promise
      ? known.then((user) => admitted(user, token, apiKey))
      : admitted(known, token, apiKey);
  }

  /** A separate check, because a model call passes its rate limit before this one. */
  checkAddress({ allowIps }: TokenRecord, address: string): void {
    if (!isAddressAllowed(address, allowIps))
      throw new Refusal(403, '您的 IP 不在令牌允许访问的列表中', 'ip_not_allowed');
  }

  /** The group a request is served and priced in: the token's, otherwise the user's. */
  groupOf(user: UserRecord, token: TokenRecord): string {
    if (token.group === '') return user.group;
    if (!this.isUsable(user, token.group)) throw new Refusal(403, `令牌分组 ${token.group} 已被禁用`, 'group_disabled');
    if (!this.isRated(token.group)) throw deprecated(token.group);
    return token.group;
  }

  /** As `groupOf`, but `undefined` for a group in which every request is refused. */
  openGroupOf(user: UserRecord, { group }: TokenRecord): string | undefined {
    if (group === '') return user.group;
    return this.isUsable(user, group) && this.isRated(group) ? group : undefined;
  }

  /** The group that a signed-in user names in the playground, or their own; refused like that of a token. */
  playgroundGroupOf(user: UserRecord, named: string): string {
    if (named === '') return user.group;
    if (!this.isUsable(user, named)) throw new Refusal(403, '无权访问该分组', 'group_not_allowed');
    if (!this.isRated(named)) throw deprecated(named);
    return named;
  }

  private isUsable(user: UserRecord, group: string): boolean {
    return group === user.group || Object.hasOwn(this.options.get('UserUsableGroups'), group);
  }

  private isRated(group: string): boolean {
    return Object.hasOwn(this.options.get('GroupRatio'), group);
  }

  private checkToken(token: TokenRecord, isPaidFor: boolean): void {
    const isUsedUp = token.status === TokenStatus.exhausted;
    if (isUsedUp && !isPaidFor)
      throw new Refusal(401, `该令牌额度已用尽 TokenStatusExhausted[sk-${token.keyHint}]`, 'token_exhausted');
    if (token.status === TokenStatus.expired) throw new Refusal(401, '该令牌已过期', 'token_expired');
    if (token.status !== TokenStatus.enabled && !isUsedUp) throw new Refusal(401, '该令牌状态不可用', 'token_disabled');
    if (token.expiredTime !== -1 && token.expiredTime < this.clock.seconds())
      throw new Refusal(401, '该令牌已过期', 'token_expired');
    if (!isPaidFor && !token.unlimitedQuota && token.remainQuota <= 0) throw tokenUsedUp(token, token.remainQuota);
  }
}

const deprecated = (group: string): Refusal => new Refusal(403, `分组 ${group} 已被弃用`, 'group_deprecated');

function admitted(user: UserRecord | undefined, token: TokenRecord, { channel }: ApiKey): Admitted {
  if (user?.status !== UserStatus.enabled) throw ofToken(new Refusal(403, '用户已被封禁', 'user_banned'), token);
  if (channel === undefined) return { token, user };
  if (!isAdmin(user.role)) throw ofToken(new Refusal(403, '普通用户不支持指定渠道', 'channel_not_allowed'), token);
  return { token, user, channel };
}

/** The same error; a refusal names the token, for the trace of the refused call. */
function ofToken(error: unknown, { id, userId }: TokenRecord): unknown {
  if (error instanceof Refusal) error.whose = { tokenId: id, userId };
  return error;
}

export const tokenUsedUp = (token: TokenRecord, remaining: number): Refusal =>
  new Refusal(
    401,
    `[sk-${token.keyHint}] 该令牌额度已用尽 !token.UnlimitedQuota && token.RemainQuota = ${remaining}`,
    'token_exhausted',
  );

/** Whether the token's limits name the model, or its family as it is routed and priced. */
export const allowsModel = ({ modelLimitsEnabled, modelLimits }: TokenRecord, model: string): boolean =>
  !modelLimitsEnabled || modelLimits.includes(model) || modelLimits.includes(pricedName(model));

/** Throws a refusal unless the token allows `model`. */
export function checkModelLimit(token: TokenRecord, model: string): void {
  if (allowsModel(token, model)) return;
  if (token.modelLimits.length === 0) throw new Refusal(403, '该令牌无权访问任何模型', 'model_not_allowed');
  throw new Refusal(403, `该令牌无权访问模型 ${model}`, 'model_not_allowed');
}
