import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { tokenChanged } from '@tollgate/contracts';
import { Outbox } from '@tollgate/database';
import { keyReused } from '../account/adjustment.service.js';
import { requireRoom } from '../account/room.js';
import { budgetOf, type CommandResult, House, JournalService } from '../journal/journal.service.js';
import { RecallBoard } from '../lease/recall-board.js';
import { ChangeRevisions } from '../revision/change-revisions.js';
import type { Token } from './token.entity.js';

interface BudgetCommand {
  actorId: number;
  reason?: string;
  /** Its natural key; without one it is named by the revision it leads to. */
  reference?: string;
  result?: CommandResult;
}

/** What every change of a token writes beside its row. Joins the caller's transaction, which has locked the row. */
@Injectable()
export class TokenBooks {
  constructor(
    private readonly em: EntityManager,
    private readonly journal: JournalService,
    private readonly revisions: ChangeRevisions,
    private readonly recalls: RecallBoard,
    private readonly outbox: Outbox,
  ) {}

  /** Sets what remains without touching what was spent: a movement like any other. Answers the id of its posting, if anything moved. */
  async setBudget(
    token: Token,
    remain: number,
    { actorId, reason, result, ...named }: BudgetCommand,
  ): Promise<string | undefined> {
    const change = remain - token.remainQuota();
    if (change === 0) return undefined;
    requireRoom({ before: token.remainQuota(), change, credit: token.credit });
    const [debit, credit] = change > 0 ? [House.budgets, budgetOf(token.id)] : [budgetOf(token.id), House.budgets];
    const { reference = `${token.id}:${token.revision}` } = named;
    const movement = { reference, debit, credit, amount: Math.abs(change), actorId, reason };
    const { id: tokenId, userId } = token;
    // A key that moved something before, for this token or another, moves nothing again.
    const posted = await this.journal.post({ code: 'token-budget', ...movement, userId, tokenId }, result);
    if (posted === undefined) throw keyReused();
    token.credit += change;
    if (token.remainQuota() < token.held) await this.recalls.ask([{ kind: 'token', id: tokenId }]);
    return posted;
  }

  /** The revision's row is locked here, last, so that revisions commit in their order. */
  async announce(token: Token): Promise<void> {
    await this.em.flush();
    token.revision = await this.revisions.next('token');
    await this.outbox.add(tokenChanged, { userId: token.userId, tokenId: token.id, revision: token.revision });
  }
}
