import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type PageQuery, TokenStatus } from '@tollgate/contracts';
import type {
  createTokenSchema,
  Token as TokenReply,
  TokenSearchQuery,
  updateTokenSchema,
  UpdateTokenStatus,
} from '@tollgate/contracts/api/token';
import {
  AppError,
  type Caller,
  changedNames,
  Clock,
  OptionStore,
  refuseOverwriting,
  SecretBox,
} from '@tollgate/chassis';
import { findPage, likePattern, pageWindow } from '@tollgate/database';
import type { z } from 'zod';
import { usableGroups } from '../pricing/usable-groups.js';
import { toAddressList, toModelList } from './token-lists.js';
import { factsOf, type TokenAction } from './token-audit.js';
import { TokenBooks } from './token-books.js';
import { newTokenKey, sealTokenKey, shownTokenKey } from './token-key.js';
import { checkEnabling, checkGroup } from './token-rules.js';
import { Token } from './token.entity.js';
import { toTokenReply } from './token.reply.js';

export interface TokenPage {
  tokens: TokenReply[];
  total: number;
}

type Fields = z.output<typeof updateTokenSchema>;
type TokenValues = Partial<
  Pick<Token, 'name' | 'expiredTime' | 'unlimitedQuota' | 'modelLimitsEnabled' | 'modelLimits' | 'allowIps' | 'group'>
>;

/** Most tokens that a search by key reads; no user keeps more. */
const SEARCH_LIMIT = 10_000;

/** A user's own tokens; callers see and change only their own. The audit log records every change, without the key. */
@Injectable()
export class TokenService {
  constructor(
    private readonly em: EntityManager,
    private readonly books: TokenBooks,
    private readonly options: OptionStore,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** Newest first. */
  async list(userId: number, query: PageQuery): Promise<TokenPage> {
    const [rows, total] = await findPage(this.em, Token, { userId, deletedAt: null }, query);
    return { tokens: rows.map((row) => this.toReply(row)), total };
  }

  /**
   * Searches name and key for literal substrings. Keys are stored encrypted, so they are compared here rather than in
   * the database.
   */
  async search(userId: number, { keyword, token: key, page }: TokenSearchQuery): Promise<TokenPage> {
    const named = keyword === '' ? {} : { name: { $ilike: likePattern(keyword) } };
    const rows = await this.em.find(
      Token,
      { userId, deletedAt: null, ...named },
      { orderBy: { id: 'desc' }, limit: SEARCH_LIMIT },
    );
    const found = rows.map((row) => this.toReply(row)).filter((row) => row.key.includes(key));
    const { offset, limit } = page ? pageWindow(page) : { offset: 0, limit: found.length };
    return { tokens: found.slice(offset, offset + limit), total: found.length };
  }

  async get(userId: number, id: number): Promise<TokenReply> {
    return this.toReply(await this.find(userId, id));
  }

  async create(caller: Caller, input: z.output<typeof createTokenSchema>): Promise<void> {
    this.checkGroupOf(caller, input.group);
    const { userId } = caller;
    await this.em.transactional(async (em) => {
      const token = em.create(Token, {
        userId,
        ...sealTokenKey(this.secrets, newTokenKey()),
        ...valuesOf(input),
        name: input.name,
        createdTime: this.clock.seconds(),
      });
      await em.flush();
      await this.books.setBudget(token, input.remain_quota, { actorId: userId });
      await this.books.announce(token);
      await this.books.record(token, 'token-create');
    });
  }

  /** Changes the fields that the body contains, except the status. */
  async update(caller: Caller, input: Fields): Promise<TokenReply> {
    return this.change(caller.userId, input.id, 'token-update', async (token) => {
      refuseOverwriting(changedSince(this.toReply(token), input.expected), { ...CHANGED, id: input.id });
      const wasOver = token.isOver(this.clock.seconds());
      if (input.group !== undefined) this.checkGroupOf(caller, input.group, token.group);
      this.em.assign(token, valuesOf(input));
      if (input.remain_quota !== undefined)
        await this.books.setBudget(token, input.remain_quota, { actorId: caller.userId });
      // Forms send back the status they read, so `enabled` only counts as enabling when the token was unusable
      // before.
      if (input.status === TokenStatus.enabled && wasOver) checkEnabling(token, this.clock.seconds());
    });
  }

  async setStatus(caller: Caller, id: number, status: UpdateTokenStatus['status']): Promise<TokenReply> {
    return this.change(caller.userId, id, 'token-status', (token) => {
      if (status === TokenStatus.enabled) checkEnabling(token, this.clock.seconds());
      token.status = status;
    });
  }

  async delete(userId: number, id: number): Promise<void> {
    await this.change(userId, id, 'token-delete', (token) => {
      token.deletedAt = new Date(this.clock.now());
    });
  }

  private async change(
    userId: number,
    id: number,
    action: TokenAction,
    apply: (token: Token) => Promise<void> | void,
  ): Promise<TokenReply> {
    return this.em.transactional(async () => {
      const token = await this.find(userId, id, LockMode.PESSIMISTIC_WRITE);
      const before = factsOf(token);
      await apply(token);
      await this.books.announce(token);
      await this.books.record(token, action, { before });
      return this.toReply(token);
    });
  }

  private async find(userId: number, id: number, lockMode?: LockMode.PESSIMISTIC_WRITE): Promise<Token> {
    const token = await this.em.findOne(
      Token,
      { id, userId, deletedAt: null },
      { ...(lockMode && { lockMode }), refresh: true },
    );
    if (!token) throw new AppError('not-found', 'token-not-found', '令牌不存在', { params: { id } });
    return token;
  }

  /** Forms send back the group they read, so a group that is no longer offered may stay, but not one without a ratio. */
  private checkGroupOf(caller: Caller, group: string, kept = ''): void {
    const usable = usableGroups(this.options.get('UserUsableGroups'), caller.group);
    checkGroup(group, { ...usable, [kept]: '' }, this.options.get('GroupRatio'));
  }

  private toReply(token: Token): TokenReply {
    return toTokenReply(token, shownTokenKey(this.secrets, token.keySealed), this.clock.seconds());
  }
}

const CHANGED = { code: 'token-changed-meanwhile', message: '该令牌已被修改，请刷新后重试' };

/**
 * The fields of the token that changed since the caller read them. Usage lowers the remaining quota, so the sum of
 * remaining and used quota is compared, which only an edit changes.
 */
function changedSince(now: TokenReply, seen: Fields['expected'] = {}): string[] {
  const { remain_quota: remain, used_quota: used = now.used_quota, ...rest } = seen;
  const budget = remain === undefined ? undefined : remain + used;
  return changedNames({ ...now, remain_quota: now.remain_quota + now.used_quota }, { ...rest, remain_quota: budget });
}

/** The given fields under the entity's names; budget and status are handled separately. */
function valuesOf(input: Omit<Fields, 'id' | 'expected'>): TokenValues {
  const values: TokenValues = {
    name: input.name,
    expiredTime: input.expired_time,
    unlimitedQuota: input.unlimited_quota,
    modelLimitsEnabled: input.model_limits_enabled,
    modelLimits: input.model_limits === undefined ? undefined : toModelList(input.model_limits),
    allowIps: input.allow_ips === undefined ? undefined : toAddressList(input.allow_ips),
    group: input.group,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
