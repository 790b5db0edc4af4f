import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { requestConsumed } from '@tollgate/contracts';
import { bound } from '@tollgate/database';
import { v7 as uuidv7 } from 'uuid';

/** Accounts of the book that are not a user's: no balance row exists for them, their balance is the sum of their postings. */
export const House = {
  revenue: 'revenue',
  grants: 'grants',
  adjustments: 'adjustments',
  budgets: 'budgets',
  /** What was handed out as codes. */
  redemptions: 'redemptions',
  /** What was paid for online. */
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
  /** The difference that other prices make to a charge. */
  | 'correction';

/** A movement other than consumption. `code` and `reference` are its natural key. */
export interface Movement {
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

/** What a command answered the first time, so that its repeat can answer the same. */
export type CommandResult = Record<string, number | string>;

/** Writes and reads the append-only book. Every method joins the caller's transaction, which has locked the accounts it moves. */
@Injectable()
export class JournalService {
  constructor(private readonly em: EntityManager) {}

  /** Resolves to the id of the row; to none when the movement was made before, and the caller then leaves the balances alone. */
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

  /** Takes a natural key for a command that moves nothing, so that a late repeat moves nothing either. */
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

  /** Which of these event ids are neither in the book nor put aside as events that cannot be booked. */
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
