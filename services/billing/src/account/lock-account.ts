import type { EntityManager } from '@mikro-orm/postgresql';
import { units } from '../units.js';

export interface LockedAccount {
  credit: number;
  spent: number;
  held: number;
  affCode: string | null;
  affQuota: number;
}

/** Locks the row of a wallet, which is created if there is none. Joins the caller's transaction. */
export async function lockAccount(em: EntityManager, userId: number): Promise<LockedAccount> {
  await em.execute(`insert into "account" ("user_id") values (?) on conflict do nothing`, [userId], 'run');
  const [row] = await em.execute<Record<string, unknown>[]>(`select * from "account" where "user_id" = ? for update`, [
    userId,
  ]);
  return {
    credit: units(row?.['credit']),
    spent: units(row?.['spent']),
    held: units(row?.['held']),
    affCode: row?.['aff_code'] as string | null,
    affQuota: units(row?.['aff_quota']),
  };
}
