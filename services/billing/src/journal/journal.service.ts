import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { requestConsumed } from '@tollgate/contracts';
import { AppError } from '@tollgate/chassis';
import { bound } from '@tollgate/database';
import { v7 as uuidv7 } from 'uuid';

/**
 * House accounts: accounts of the journal that belong to no user. They have no balance row; their balance is the sum of
 * their postings.
 */
export const House = {
  revenue: 'revenue',
  grants: 'grants',
  adjustments: 'adjustments',
  budgets: 'budgets',
  /** Quota granted through redemption codes. */
  redemptions: 'redemptions',
  /** Quota that was paid for online. */
  payments: 'payments',
} as const;
export const walletOf = (userId: number): string => `wallet:${userId}`;
export const affiliateOf = (userId: number): string => `affiliate:${userId}`;
export const budgetOf = (tokenId: number): string => `token:${tokenId}`;

export type MovementCode =
  | 'setup-grant'
  | 'new-user-gift'
  | 'invitee-gift'
  | 'inviter-reward'
  | 'affiliate-transfer'
  | 'admin-adjustment'
  | 'redemption'
  | 'top-up'
  | 'refund'
  | 'token-budget'
  | 'task-refund'
  /** The difference between the original charge of a request and its charge by other prices. */
  | 'correction';

/** A movement other than consumption. `code` and `reference` are its natural key. */
interface Movement {
  code: MovementCode;
  reference: string;
  debit: string;
  credit: string;
  /** Units, above zero. */
  amount: number;
  userId: number;
  tokenId?: number;
  actorId?: number;
  reason?: string;
}

/** The result of a command, stored so that a repetition can return the same. */
export type CommandResult = Record<string, number | string>;

export const keyReused = (): AppError =>
  new AppError('conflict', 'idempotency-key-reused', '该 Idempotency-Key 已用于另一个请求，请换一个再试');

/**
 * Writes and reads the append-only journal. Every method joins the caller's transaction, which has locked the accounts
 * to be moved.
 */
@Injectable()
export class JournalService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Resolves to the id of the new row, or to `undefined` when the movement was posted before; the caller then must not
   * change the balances.
   */
  async post(movement: Movement, result?: CommandResult): Promise<string | undefined> {
    const id = uuidv7();
    if (!(await this.claim(movement.code, movement.reference, { postingId: id, result }))) return undefined;
    const { code, reference, debit, credit, amount, userId, tokenId = 0, actorId = null, reason = null } = movement;
    await this.em.execute(
      `insert into "posting" ("id", "code", "debit", "credit", "amount", "user_id", "token_id", "reference", "actor_id", "reason")
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [id, code, debit, credit, amount, userId, tokenId, reference, actorId, reason],
      'run',
    );
    return id;
  }

  /**
   * Stores the natural key of a command, also of one that moves nothing, so that a late repetition moves nothing
   * either. False when the key exists.
   */
  async claim(
    code: MovementCode,
    reference: string,
    { postingId, result }: { postingId?: string; result?: CommandResult },
  ): Promise<boolean> {
    const rows = await this.em.execute<object[]>(
      `insert into "posting_key" ("code", "reference", "posting_id", "result") values (?, ?, ?, ?::jsonb)
       on conflict do nothing returning "code"`,
      [code, reference, postingId ?? null, result ? JSON.stringify(result) : null],
    );
    return rows.length > 0;
  }

  async findResult(code: MovementCode, reference: string): Promise<CommandResult | undefined> {
    const [row] = await this.em.execute<{ result: CommandResult | null }[]>(
      `select "result" from "posting_key" where "code" = ? and "reference" = ?`,
      [code, reference],
    );
    return row?.result ?? undefined;
  }

  /** The given event ids that are neither in the journal nor in the quarantine of events that cannot be booked. */
  async listUnbooked(ids: readonly string[]): Promise<string[]> {
    const rows = await bound<{ id: string }>(
      this.em,
      `select e."id" from unnest($1::text[]) as e("id")
       where not exists (select from "posting" p where p."id" = e."id"::uuid)
         and not exists (select from "quarantined_event" q where q."topic" = $2 and q."event_id" = lower(e."id"))`,
      [ids, requestConsumed.name],
    );
    return rows.map((row) => row.id);
  }
}
