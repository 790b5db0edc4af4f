import { EntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Balance, mostBalance, quotaGranted } from '@tollgate/contracts';
import { AppError, OptionStore } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { affiliateOf, House, JournalService, walletOf } from '../journal/journal.service.js';
import { units } from '../units.js';
import { Account } from './account.entity.js';
import { AffiliateCodes } from './affiliate-codes.js';
import { type Gift, type OpeningKind, openingGifts } from './opening-gifts.js';
import { lockAccount } from './lock-account.js';
import { QuotaTexts } from './quota-texts.js';
import { requireRoom } from './room.js';

export interface Opening {
  userId: number;
  kind: OpeningKind;
  inviterId: number;
}

const CODE_ATTEMPTS = 5;

@Injectable()
export class AccountService {
  constructor(
    private readonly em: EntityManager,
    private readonly journal: JournalService,
    private readonly outbox: Outbox,
    private readonly options: OptionStore,
    private readonly texts: QuotaTexts,
    private readonly codes: AffiliateCodes,
  ) {}

  /**
   * Opens a wallet once, with the gifts of the current options; a repetition has no effect. Returns the shown quota and
   * whether the wallet was opened now.
   */
  async open(opening: Opening): Promise<{ quota: number; isNew: boolean }> {
    const inviterId = opening.inviterId === opening.userId ? 0 : opening.inviterId;
    return this.withFreshCode((code) => this.em.transactional(() => this.openOnce({ ...opening, inviterId }, code)));
  }

  /** One row per id, zeros for an account that is not open yet. */
  async balances(userIds: readonly number[]): Promise<Balance[]> {
    const rows = await this.em.find(Account, { userId: { $in: [...new Set(userIds)] } }, { disableIdentityMap: true });
    const byId = new Map(rows.map((row) => [row.userId, row]));
    return userIds.map((userId) => toBalance(userId, byId.get(userId)));
  }

  async findByCode(code: string): Promise<number | null> {
    if (code === '') return null;
    const account = await this.em.findOne(Account, { affCode: code }, { fields: ['userId'], disableIdentityMap: true });
    return account?.userId ?? null;
  }

  /** The user's affiliate code; created now for an account that has none. */
  async affiliateCode(userId: number): Promise<string> {
    return this.withFreshCode((code) =>
      this.em.transactional(async () => {
        const { affCode } = await lockAccount(this.em, userId);
        if (affCode) return affCode;
        await this.em.execute(`update "account" set "aff_code" = ? where "user_id" = ?`, [code, userId], 'run');
        return code;
      }),
    );
  }

  /** Moves rewards for invitations from the affiliate balance into the wallet. */
  async transferAffiliateQuota(userId: number, amount: number, reference: string): Promise<void> {
    const least = Math.ceil(this.options.get('QuotaPerUnit'));
    if (amount < least) {
      const text = this.texts.logText(least);
      throw new AppError('invalid', 'affiliate-transfer-too-small', `划转失败 转移额度最小为${text}！`, {
        field: 'quota',
        params: { least },
      });
    }
    await this.em.transactional(async () => {
      const account = await lockAccount(this.em, userId);
      if (account.affQuota < amount)
        throw new AppError('conflict', 'affiliate-quota-short', '划转失败 邀请额度不足！', { field: 'quota' });
      requireRoom({ before: account.credit - account.spent, change: amount, credit: account.credit });
      const movement = { debit: affiliateOf(userId), credit: walletOf(userId), amount, userId, actorId: userId };
      const name = { code: 'affiliate-transfer', reference: `${userId}:${reference}` } as const;
      const posted = await this.journal.post({ ...name, ...movement });
      if (posted === undefined) return;
      await this.em.execute(
        `update "account" set "aff_quota" = "aff_quota" - ? where "user_id" = ?`,
        [amount, userId],
        'run',
      );
      await this.addCredit(userId, amount);
      const { code } = name;
      await this.outbox.add(
        quotaGranted,
        { userId, code, quota: amount, quotaText: this.texts.logText(amount) },
        posted,
      );
    });
  }

  private async openOnce(opening: Opening, code: string): Promise<{ quota: number; isNew: boolean }> {
    const { userId, kind } = opening;
    const { inviterId, rewarded } = await this.lockInviter(opening);
    const rows = await this.em.execute<object[]>(
      `insert into "account" ("user_id", "kind", "inviter_id", "aff_code", "opened_at") values (?, ?, ?, ?, now())
       on conflict ("user_id") do update set "kind" = excluded."kind", "inviter_id" = excluded."inviter_id",
         "aff_code" = coalesce("account"."aff_code", excluded."aff_code"), "opened_at" = now()
       where "account"."opened_at" is null returning "user_id"`,
      [userId, kind, inviterId, code],
    );
    const isNew = rows.length > 0;
    if (isNew) await this.give({ userId, kind, inviterId }, rewarded);
    const { credit, spent } = await this.em.findOneOrFail(Account, { userId }, { disableIdentityMap: true });
    return { quota: credit - spent, isNew };
  }

  /**
   * Locks both rows in the order of their ids. Returns the inviter's id, or 0 if that account does not exist, and the
   * total of the inviter's earlier rewards.
   */
  private async lockInviter({ userId, inviterId }: Opening): Promise<{ inviterId: number; rewarded: number }> {
    if (inviterId === 0) return { inviterId, rewarded: 0 };
    const rows = await this.em.execute<{ user_id: number; aff_history_quota: unknown }[]>(
      `select "user_id", "aff_history_quota" from "account" where "user_id" in (?, ?) order by "user_id" for update`,
      [inviterId, userId],
    );
    const inviter = rows.find((row) => row.user_id === inviterId);
    return inviter ? { inviterId, rewarded: units(inviter.aff_history_quota) } : { inviterId: 0, rewarded: 0 };
  }

  /**
   * Posts the gifts. A reward that would exceed the largest balance is left out, so that no registration fails because
   * of it.
   */
  private async give(opening: Opening, rewarded: number): Promise<void> {
    const { userId, inviterId } = opening;
    const inviter = this.options.get('QuotaForInviter');
    const gifts = openingGifts(opening, {
      newUser: this.options.get('QuotaForNewUser'),
      invitee: this.options.get('QuotaForInvitee'),
      inviter: rewarded + inviter <= mostBalance ? inviter : 0,
    });
    // As documented, invitations are not counted while the options grant no reward for them.
    if (inviterId > 0 && inviter > 0) {
      await this.em.execute(
        `update "account" set "aff_count" = "aff_count" + 1 where "user_id" = ?`,
        [inviterId],
        'run',
      );
    }
    const given: (Gift & { posted: string })[] = [];
    for (const gift of gifts) {
      const posted = await this.postGift(gift, userId);
      if (posted !== undefined) given.push({ ...gift, posted });
    }
    for (const { code, userId: receiver, amount, posted } of given) {
      const quotaText = this.texts.logText(amount);
      await this.outbox.add(quotaGranted, { userId: receiver, code, quota: amount, quotaText }, posted);
    }
  }

  private async postGift({ code, userId, amount }: Gift, openedFor: number): Promise<string | undefined> {
    const isReward = code === 'inviter-reward';
    const credit = isReward ? affiliateOf(userId) : walletOf(userId);
    const posted = await this.journal.post({
      code,
      reference: String(openedFor),
      debit: House.grants,
      credit,
      amount,
      userId,
    });
    if (posted === undefined) return undefined;
    if (!isReward) await this.addCredit(userId, amount);
    else {
      await this.em.execute(
        `update "account" set "aff_quota" = "aff_quota" + ?, "aff_history_quota" = "aff_history_quota" + ? where "user_id" = ?`,
        [amount, amount, userId],
        'run',
      );
    }
    return posted;
  }

  private async addCredit(userId: number, amount: number): Promise<void> {
    await this.em.execute(`update "account" set "credit" = "credit" + ? where "user_id" = ?`, [amount, userId], 'run');
  }

  /** Draws another code when the first one is taken. */
  private async withFreshCode<Result>(task: (code: string) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await task(this.codes.next());
      } catch (error) {
        if (!isTakenCode(error) || attempt === CODE_ATTEMPTS) throw error;
      }
    }
  }
}

const isTakenCode = (error: unknown): boolean =>
  error instanceof UniqueConstraintViolationException && error.message.includes('account_aff_code_unique');

const UNOPENED = { credit: 0, spent: 0, requestCount: 0, affCode: null, affCount: 0, affQuota: 0, affHistoryQuota: 0 };

const toBalance = (userId: number, account: typeof UNOPENED | Account = UNOPENED): Balance => ({
  userId,
  quota: account.credit - account.spent,
  usedQuota: account.spent,
  requestCount: account.requestCount,
  affCode: account.affCode ?? '',
  affCount: account.affCount,
  affQuota: account.affQuota,
  affHistoryQuota: account.affHistoryQuota,
});
