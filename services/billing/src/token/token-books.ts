import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { adminAction, tokenChanged } from '@tollgate/contracts';
import { Outbox } from '@tollgate/database';
import { v7 as uuidv7 } from 'uuid';
import { requireRoom } from '../account/room.js';
import { budgetOf, type CommandResult, House, JournalService, keyReused } from '../journal/journal.service.js';
import { RecallBoard } from '../lease/recall-board.js';
import { ChangeRevisions } from '../revision/change-revisions.js';
import { changeOf, factsOf, type TokenAction } from './token-audit.js';
import type { Token } from './token.entity.js';

interface BudgetMove {
  actorId: number;
  reason?: string;
  /**
   * The natural key of the command. By default a new one: the revision of a restored token was used before, by postings
   * that are in the journal again.
   */
  reference?: string;
  result?: CommandResult;
}

/**
 * Writes what every change of a token needs beside its row. Joins the caller's transaction, which has locked the row.
 */
@Injectable()
export class TokenBooks {
  constructor(
    private readonly em: EntityManager,
    private readonly journal: JournalService,
    private readonly revisions: ChangeRevisions,
    private readonly recalls: RecallBoard,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Sets the remaining budget without changing what was spent, by a posting. Returns the posting's id, if anything
   * changed.
   */
  async setBudget(
    token: Token,
    remain: number,
    { actorId, reason, result, ...named }: BudgetMove,
  ): Promise<string | undefined> {
    const change = remain - token.remainQuota();
    if (change === 0) return undefined;
    requireRoom({ before: token.remainQuota(), change, credit: token.credit });
    const [debit, credit] = change > 0 ? [House.budgets, budgetOf(token.id)] : [budgetOf(token.id), House.budgets];
    const { reference = `${token.id}:${uuidv7()}` } = named;
    const movement = { reference, debit, credit, amount: Math.abs(change), actorId, reason };
    const { id: tokenId, userId } = token;
    // A reference that was posted before, for this token or another one, is refused.
    const posted = await this.journal.post({ code: 'token-budget', ...movement, userId, tokenId }, result);
    if (posted === undefined) throw keyReused();
    token.credit += change;
    if (token.remainQuota() < token.held) await this.recalls.request([{ kind: 'token', id: tokenId }]);
    return posted;
  }

  /** Locks the row of the revision last, so that revisions commit in order. */
  async announce(token: Token): Promise<void> {
    await this.em.flush();
    token.revision = await this.revisions.next('token');
    await this.outbox.add(tokenChanged, { userId: token.userId, tokenId: token.id, revision: token.revision });
  }

  /**
   * Tells the audit log what the owner did, or with `unattended` what was done for the owner, unless nothing changed. A
   * new token has no facts before.
   */
  async record(
    token: Token,
    action: TokenAction,
    { before = {}, unattended }: { before?: ReturnType<typeof factsOf>; unattended?: true } = {},
  ): Promise<void> {
    const change = changeOf(before, factsOf(token));
    if (!change) return;
    const { userId } = token;
    const by = { actorId: userId, ...(unattended && { unattended }) };
    await this.outbox.add(adminAction, { ...by, action, subject: `token:${token.id}`, userId, ...change });
  }
}
