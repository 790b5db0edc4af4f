import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { quotaAdjusted, type QuotaAdjustment } from '@tollgate/contracts';
import { AppError, INVALID_INPUT } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { ApprovalDesk } from '../approval/approval-desk.js';
import type { Approval } from '../approval/approval.entity.js';
import { type CommandResult, House, JournalService, keyReused, walletOf } from '../journal/journal.service.js';
import { RecallBoard } from '../lease/recall-board.js';
import { units } from '../units.js';
import { type LockedAccount, lockAccount } from './lock-account.js';
import { QuotaTexts } from './quota-texts.js';
import { requireRoom } from './room.js';

interface Adjusted {
  before: number;
  after: number;
}

/** Carries out an adjustment that needs no approval. */
type Effect = (account: LockedAccount) => Promise<Adjusted>;

/**
 * An administrator's change of a wallet: one posting, or, above the limit, a request that another administrator
 * approves.
 */
@Injectable()
export class AdjustmentService {
  constructor(
    private readonly em: EntityManager,
    private readonly journal: JournalService,
    private readonly outbox: Outbox,
    private readonly texts: QuotaTexts,
    private readonly recalls: RecallBoard,
    private readonly desk: ApprovalDesk,
  ) {}

  /**
   * Sets or changes the shown quota by one posting. A repetition of the command returns the result of the first one.
   * Throws `approval-required` where another administrator has to agree first.
   */
  async adjust(adjustment: QuotaAdjustment): Promise<Adjusted> {
    return this.decided(adjustment, async (account) => {
      const { userId, quota: target, actorId: requesterId, reason } = adjustment;
      for (const { reference } of namesOf(adjustment))
        await this.desk.closeDone({ command: `adjustment:${reference}` });
      const { change } = outcomeOf(account, adjustment);
      await this.desk.closeSame({ kind: 'adjustment', userId, change, target, requesterId, reason });
      return this.apply(account, adjustment);
    });
  }

  /**
   * Like `adjust`, but moves nothing: stores a request where approval is needed, otherwise only returns what the
   * result would be.
   */
  async requestApproval(adjustment: QuotaAdjustment): Promise<Adjusted> {
    return this.decided(adjustment, (account) => {
      const { before, after } = outcomeOf(account, adjustment);
      return Promise.resolve({ before, after });
    });
  }

  /** Posts an approved adjustment. Joins the transaction of the approval. */
  async carryOut({ userId, change, reason, requesterId, payload }: Approval): Promise<void> {
    const { commandId, fingerprint } = payload as Pick<QuotaAdjustment, 'commandId' | 'fingerprint'>;
    const account = await lockAccount(this.em, userId);
    await this.apply(account, { userId, delta: change, actorId: requesterId, commandId, fingerprint, reason });
  }

  private async decided(adjustment: QuotaAdjustment, effect: Effect): Promise<Adjusted> {
    const outcome = await this.em.transactional(() => this.decide(adjustment, effect));
    if (outcome instanceof AppError) throw outcome;
    return outcome;
  }

  private async decide(adjustment: QuotaAdjustment, effect: Effect): Promise<Adjusted | AppError> {
    const { userId, quota, delta } = adjustment;
    if ((quota === undefined) === (delta === undefined))
      throw new AppError('invalid', 'adjustment-ambiguous', INVALID_INPUT);
    const account = await lockAccount(this.em, userId);
    for (const { reference, fingerprint: requested } of namesOf(adjustment)) {
      const done = await this.journal.findResult('admin-adjustment', reference);
      if (done) return repeated(done, requested);
      await this.desk.requireSame(`adjustment:${reference}`, requested);
    }
    const { change } = outcomeOf(account, adjustment);
    if (!this.desk.needs('adjustment', change)) return effect(account);
    const { actorId, commandId, fingerprint, reason } = adjustment;
    const command = `adjustment:${referenceOf(adjustment)}`;
    const payload = { commandId, ...(fingerprint !== undefined && { fingerprint }) };
    const wish = { kind: 'adjustment', command, userId, change, target: quota, reason, payload } as const;
    return this.desk.request({ ...wish, requesterId: actorId });
  }

  private async apply(account: LockedAccount, adjustment: QuotaAdjustment): Promise<Adjusted> {
    const { userId, actorId, fingerprint, reason } = adjustment;
    const reference = referenceOf(adjustment);
    const { before, after, change } = outcomeOf(account, adjustment);
    const result = { before, after };
    const kept = { ...result, ...(fingerprint !== undefined && { fingerprint }) };
    if (change === 0) {
      if (!(await this.journal.claim('admin-adjustment', reference, { result: kept }))) throw keyReused();
      return result;
    }
    const [debit, credit] = change > 0 ? [House.adjustments, walletOf(userId)] : [walletOf(userId), House.adjustments];
    const movement = { reference, debit, credit, amount: Math.abs(change), userId, actorId, reason };
    // The user's account is locked, so the reference can only have been used by a command for another user.
    const posted = await this.journal.post({ code: 'admin-adjustment', ...movement }, kept);
    if (posted === undefined) throw keyReused();
    await this.em.execute(`update "account" set "credit" = "credit" + ? where "user_id" = ?`, [change, userId], 'run');
    if (after < account.held) await this.recalls.request([{ kind: 'wallet', id: userId }]);
    const texts = { beforeText: this.texts.logText(before), afterText: this.texts.logText(after) };
    await this.outbox.add(quotaAdjusted, { userId, actorId, ...result, ...texts }, posted);
    return result;
  }
}

/** The reference of the posting: the command's id if it has a fingerprint, otherwise with the user's id before it. */
const referenceOf = ({
  userId,
  commandId,
  fingerprint,
}: Pick<QuotaAdjustment, 'userId' | 'commandId' | 'fingerprint'>): string =>
  fingerprint === undefined ? `${userId}:${commandId}` : commandId;

/** All references under which the command may have been posted. */
const namesOf = ({ former = [], ...adjustment }: QuotaAdjustment) =>
  [adjustment, ...former.map((name) => ({ userId: adjustment.userId, ...name }))].map((name) => ({
    reference: referenceOf(name),
    fingerprint: name.fingerprint,
  }));

function outcomeOf(
  { credit, spent }: LockedAccount,
  { quota, delta = 0 }: QuotaAdjustment,
): Adjusted & { change: number } {
  const before = credit - spent;
  const after = quota ?? before + delta;
  const change = after - before;
  // A client that sends the whole user as it was read sends the balance of an overdrawn wallet, too.
  if (quota !== undefined && quota < 0 && change !== 0)
    throw new AppError('invalid', 'quota-negative', '额度不能为负数', { field: 'quota' });
  requireRoom({ before, change, credit });
  return { before, after, change };
}

/** The result of the first command, if this one is its repetition; throws if the fingerprints differ. */
export function repeated(done: CommandResult, fingerprint: string | undefined): Adjusted {
  if (done['fingerprint'] !== fingerprint) throw keyReused();
  return { before: units(done['before']), after: units(done['after']) };
}
