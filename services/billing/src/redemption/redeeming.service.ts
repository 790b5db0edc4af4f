import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { redemptionRedeemed } from '@tollgate/contracts';
import { RedemptionStatus } from '@tollgate/contracts/api/redemption';
import { AppError, Clock, Host, KeyValue, SecretBox } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { QuotaTexts } from '../account/quota-texts.js';
import { WalletMovements } from '../account/wallet-movements.js';
import { House } from '../journal/journal.service.js';
import { units } from '../units.js';
import { redemptionHashes } from './redemption-key.js';

/** Limit of attempts with unknown codes: enough for typing errors, too few to search for codes. */
const UNKNOWN_CODES = { limit: 20, windowMs: 10 * 60_000 };
const UNKNOWN = 'redemption-unknown';

/** Redeems codes. If several users send the same code at the same time, exactly one gets the quota. */
@Injectable()
export class RedeemingService {
  constructor(
    private readonly em: EntityManager,
    private readonly wallets: WalletMovements,
    private readonly outbox: Outbox,
    private readonly texts: QuotaTexts,
    private readonly keyValue: KeyValue,
    private readonly secrets: SecretBox,
    private readonly host: Host,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the units that were added. An attempt is counted before the code is looked up, so that parallel ones are
   * limited too, and remains counted only if the code is unknown.
   */
  async redeem(userId: number, key: string): Promise<number> {
    const place = await this.countGuess(userId);
    let isUnknown = false;
    try {
      const keyHashes = redemptionHashes(this.secrets, key);
      const quota = await this.em.transactional(() => this.claim(userId, keyHashes)).catch(prefixed);
      if (quota !== undefined) return quota;
      const refusal = await this.refusal(keyHashes);
      isUnknown = refusal.code === UNKNOWN;
      throw refusal;
    } finally {
      // Without the store, the place is free again when it leaves the window.
      if (place !== undefined && !isUnknown)
        await this.keyValue.giveBack(guessesOf(userId), place).catch(() => undefined);
    }
  }

  /** The conditional update claims the code, so a second user finds it used. */
  private async claim(userId: number, keyHashes: string[]): Promise<number | undefined> {
    const now = this.clock.seconds();
    const [row] = await this.em.execute<{ id: number; quota: unknown }[]>(
      `update "redemption" set "status" = ?, "redeemed_time" = ?, "used_user_id" = ?
       where "key_hash" = any(array[?]::text[]) and "status" = ? and "deleted_at" is null and ("expired_time" = 0 or "expired_time" > ?)
       returning "id", "quota"`,
      [RedemptionStatus.used, now, userId, keyHashes, RedemptionStatus.unused, now],
    );
    if (!row) return undefined;
    const amount = units(row.quota);
    const movement = { code: 'redemption', reference: String(row.id), counterpart: House.redemptions } as const;
    const posted = await this.wallets.deposit({ ...movement, userId, amount, actorId: userId });
    if (posted === undefined) throw new Error(`redemption ${row.id} was posted before it was claimed`);
    const redeemed = { userId, redemptionId: row.id, quota: amount, quotaText: this.texts.logText(amount) };
    await this.outbox.add(redemptionRedeemed, redeemed, posted);
    return amount;
  }

  private async refusal(keyHashes: string[]): Promise<AppError> {
    const [row] = await this.em.execute<{ status: number }[]>(
      `select "status" from "redemption" where "key_hash" = any(array[?]::text[]) and "deleted_at" is null`,
      [keyHashes],
    );
    if (!row) return new AppError('invalid', UNKNOWN, '兑换失败，无效的兑换码', { field: 'key' });
    if (row.status === RedemptionStatus.unused)
      return new AppError('conflict', 'redemption-expired', '兑换失败，该兑换码已过期', { field: 'key' });
    // As documented, a disabled code gets the same reply as a used one.
    return new AppError('conflict', 'redemption-already-used', '兑换失败，该兑换码已被使用', { field: 'key' });
  }

  /** Returns the place that the attempt takes in the window. Refuses it if there is none left. */
  private async countGuess(userId: number): Promise<string | undefined> {
    if (this.host.env.TOLLGATE_RATE_LIMITS === 'off') return undefined;
    const { limit, windowMs } = UNKNOWN_CODES;
    const { admitted, retryAfterMs, place } = await this.keyValue.admit(guessesOf(userId), limit, windowMs);
    if (admitted) return place;
    throw new AppError('rate-limited', 'too-many-attempts', '请求次数过多，请稍后再试！', {
      retryAfter: retryAfterMs / 1000,
    });
  }
}

const guessesOf = (userId: number): string => `attempt:redemption:${userId}`;

/** The messages of all refusals begin alike. */
function prefixed(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new AppError(error.kind, error.code, `兑换失败，${error.message}`, { ...error.details, cause: error });
}
