import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, type Page, type PageQuery } from '@tollgate/contracts';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type { BudgetChange, changeBudgetSchema, TokenBudget } from '@tollgate/contracts/api/journal';
import { AppError, type Caller, Clock, SecretBox } from '@tollgate/chassis';
import { findPage, Outbox, toPage } from '@tollgate/database';
import type { z } from 'zod';
import { repeated } from '../account/adjustment.service.js';
import { RankGuard } from '../account/rank-guard.js';
import { requireRoom } from '../account/room.js';
import { ApprovalDesk } from '../approval/approval-desk.js';
import type { Approval } from '../approval/approval.entity.js';
import { JournalService, keyReused } from '../journal/journal.service.js';
import { TokenBooks } from './token-books.js';
import { Token } from './token.entity.js';

type Input = z.output<typeof changeBudgetSchema>;

type CommandName = Record<'reference' | 'fingerprint', string>;

/** One command, however often it is sent. */
interface BudgetCommand extends CommandName {
  /** Reference and fingerprint of the command under a secret key that is being replaced. */
  former: CommandName[];
  reason: string;
  actorId: number;
}

const KEY = /^[\x21-\x7e]{8,200}$/;

/** Administrators' view of the budgets of all users' tokens. It never shows a key. */
@Injectable()
export class TokenBudgets {
  constructor(
    private readonly em: EntityManager,
    private readonly books: TokenBooks,
    private readonly journal: JournalService,
    private readonly desk: ApprovalDesk,
    private readonly ranks: RankGuard,
    private readonly outbox: Outbox,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** The tokens of one user, newest first. */
  async list(userId: number, query: PageQuery, caller: Caller): Promise<Page<TokenBudget>> {
    if (userId > MAX_ID) return toPage([], 0, query, toBudget(0));
    if (userId !== caller.userId) await this.ranks.requireAbove(caller, userId);
    const [rows, total] = await findPage(this.em, Token, { userId, deletedAt: null }, query);
    return toPage(rows, total, query, toBudget(this.clock.seconds()));
  }

  /** Changes a budget by one posting. Throws `approval-required` where another administrator has to agree first. */
  async change(id: number, input: Input, caller: Caller, key: string | undefined): Promise<BudgetChange> {
    const { userId } = await this.find(id);
    if (userId !== caller.userId) await this.ranks.requireAbove(caller, userId);
    const command = this.commandOf(id, input, caller, key);
    const outcome = await this.em.transactional(async () => {
      const token = await this.find(id, LockMode.PESSIMISTIC_WRITE);
      for (const { reference, fingerprint } of [command, ...command.former]) {
        const done = await this.journal.findResult('token-budget', reference);
        if (done) return repeated(done, fingerprint);
        await this.desk.requireSame(`token-budget:${reference}`, fingerprint);
      }
      const target = input.remain_quota;
      const change = (target ?? token.remainQuota() + (input.delta ?? 0)) - token.remainQuota();
      requirePossible(token, change);
      const { reference, fingerprint, reason, actorId } = command;
      const named = `token-budget:${reference}`;
      const moved = {
        kind: 'token-budget',
        userId,
        tokenId: id,
        change,
        target,
        reason,
        requesterId: actorId,
      } as const;
      if (!this.desk.needs('token-budget', change)) {
        await this.desk.closeDone({ command: named });
        await this.desk.closeSame(moved);
        return this.apply(token, change, command);
      }
      return this.desk.request({
        ...moved,
        ...{ command: named, subject: token.name, payload: { reference, fingerprint } },
      });
    });
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  }

  /** Carries out an approved change. Joins the transaction of the approval. */
  async carryOut({ tokenId, change, reason, requesterId: actorId, payload }: Approval): Promise<void> {
    const token = await this.find(tokenId, LockMode.PESSIMISTIC_WRITE);
    const { reference, fingerprint } = payload as CommandName;
    await this.apply(token, change, { reference, fingerprint, former: [], reason, actorId });
  }

  private async apply(token: Token, change: number, command: BudgetCommand): Promise<BudgetChange> {
    const { reference, fingerprint, reason, actorId } = command;
    const before = token.remainQuota();
    const after = before + change;
    requirePossible(token, change);
    const result = { before, after };
    const kept = { ...result, fingerprint };
    if (change === 0) {
      // The reference is stored, so that a late repetition changes nothing either, even after the token was used.
      if (!(await this.journal.claim('token-budget', reference, { result: kept }))) throw keyReused();
      return result;
    }
    const posted = await this.books.setBudget(token, after, { actorId, reason, reference, result: kept });
    await this.books.announce(token);
    const event = {
      actorId,
      action: 'token-budget' as const,
      subject: `token:${token.id}`,
      userId: token.userId,
      before: { remain_quota: before },
      after: { remain_quota: after, reason },
    };
    await this.outbox.add(adminAction, event, posted);
    return result;
  }

  private async find(id: number, lockMode?: LockMode.PESSIMISTIC_WRITE): Promise<Token> {
    const where = { id: Math.min(id, MAX_ID), deletedAt: null };
    const token = await this.em.findOne(Token, where, { ...(lockMode && { lockMode }), refresh: true });
    if (!token) throw new AppError('not-found', 'token-not-found', '令牌不存在', { params: { id } });
    return token;
  }

  private commandOf(id: number, input: Input, { userId: actorId, requestId }: Caller, key?: string): BudgetCommand {
    if (key !== undefined && !KEY.test(key))
      throw new AppError('invalid', 'idempotency-key-invalid', 'Idempotency-Key 必须是 8 到 200 个可见字符');
    const hashes = (text: string): string[] => this.secrets.hmacs('budget-command', text);
    const fingerprints = hashes(JSON.stringify([id, input]));
    const names = key === undefined ? [] : hashes(`${actorId}\n${key}`).map((hash) => `idempotency:${hash}`);
    const [reference = `request:${requestId}`, ...others] = names;
    return {
      reference,
      fingerprint: fingerprints[0] ?? '',
      former: others.map((other, index) => ({ reference: other, fingerprint: fingerprints[index + 1] ?? '' })),
      reason: input.reason,
      actorId,
    };
  }
}

/** Also checked before a request is laid down, so that only feasible requests are approved. */
function requirePossible(token: Token, change: number): void {
  const remaining = token.remainQuota();
  if (change < 0 && remaining + change < 0)
    throw new AppError('invalid', 'budget-below-zero', '令牌额度不能低于 0', {
      field: 'delta',
      params: { remaining },
    });
  requireRoom({ before: remaining, change, credit: token.credit });
}

const toBudget =
  (nowSeconds: number) =>
  (token: Token): TokenBudget => ({
    id: token.id,
    user_id: token.userId,
    name: token.name,
    status: token.statusAt(nowSeconds),
    unlimited_quota: token.unlimitedQuota,
    remain_quota: token.remainQuota(),
    used_quota: token.spent,
    held_quota: token.held,
    accessed_time: token.accessedTime,
    expired_time: token.expiredTime,
  });
