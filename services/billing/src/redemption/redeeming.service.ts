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

  /** Returns the units that were added. */
  async redeem(userId: number, key: string): Promise<number> {
    await this.requireRoomToGuess(userId);
    const keyHashes = redemptionHashes(this.secrets, key);
    const quota = await this.em.transactional(() => this.claim(userId, keyHashes)).catch(prefixed);
    if (quota !== undefined) return quota;
    throw await this.refusal(userId, keyHashes);
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

  private async refusal(userId: number, keyHashes: string[]): Promise<AppError> {
    const [row] = await this.em.execute<{ status: number }[]>(
      `select "status" from "redemption" where "key_hash" = any(array[?]::text[]) and "deleted_at" is null`,
      [keyHashes],
    );
    if (!row) {
      await this.noteGuess(userId);
      return new AppError('invalid', 'redemption-unknown', '兑换失败，无效的兑换码', { field: 'key' });
    }
    if (row.status === RedemptionStatus.unused)
      return new AppError('conflict', 'redemption-expired', '兑换失败，该兑换码已过期', { field: 'key' });
    // As documented, a disabled code gets the same reply as a used one.
    return new AppError('conflict', 'redemption-already-used', '兑换失败，该兑换码已被使用', { field: 'key' });
  }

  private async requireRoomToGuess(userId: number): Promise<void> {
    if (this.host.env.TOLLGATE_RATE_LIMITS === 'off') return;
    const { limit, windowMs } = UNKNOWN_CODES;
    const { admitted, retryAfterMs } = await this.keyValue.admit(guessesOf(userId), limit, windowMs, 0);
    if (!admitted)
      throw new AppError('rate-limited', 'too-many-attempts', '请求次数过多，请稍后再试！', {
        retryAfter: retryAfterMs / 1000,
      });
  }

  private async noteGuess(userId: number): Promise<void> {
    const { limit, windowMs } = UNKNOWN_CODES;
    await this.keyValue.admit(guessesOf(userId), limit, windowMs);
  }
}

const guessesOf = (userId: number): string => `attempt:redemption:${userId}`;

/** The messages of all refusals begin alike. */
function prefixed(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  throw new AppError(error.kind, error.code, `兑换失败，${error.message}`, { ...error.details, cause: error });
}
