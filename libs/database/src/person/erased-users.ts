import { RequestContext } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventBatch, userErased } from '@tollgate/contracts';
import { type Lifecycle, type Logger, periodically } from '@tollgate/chassis';

/**
 * Table of erased users, for services with data about people. Code that writes such data checks it, so that late data is pseudonymised too.
 */
export const erasedUsersSchema = `create table "erased_user" (
  "user_id" int not null primary key,
  "pseudonym" text not null,
  "erased_at" timestamptz not null default now(),
  "passes" int not null default 0,
  "next_pass_at" timestamptz null
)`;

/** Progress of the current pass. */
export const erasedUsersMark = `alter table "erased_user" add column if not exists "mark" text null`;

export interface ErasedUser {
  userId: number;
  pseudonym: string;
  /** What the previous batch returned; null at the beginning of a pass. */
  mark: string | null;
}

const LOOK_MS = 30_000;
/** Time to the second pass; transactions that were running during the first pass have ended long before. */
const SECOND_PASS = "interval '2 minutes'";

/** Delay after a failed pass, so that other users' passes run first. */
const AFTER_FAILURE = "interval '5 minutes'";

/**
 * Removes what identifies erased users from a service's tables. The event only records the user. The passes over the tables have their own
 * transactions, or several if they work in batches, so a killed process only has to repeat its current batch. There are two passes: one at
 * once, and a second one for rows whose writers had checked before the user was recorded.
 */
export class ErasedUsers {
  private readonly kick: () => void;

  constructor(
    private readonly em: EntityManager,
    { lifecycle, logger }: { lifecycle: Lifecycle; logger: Logger },
    /**
     * Runs in a transaction that locks the user's row; must be repeatable. Returns the mark to continue from, or null when the pass is
     * complete.
     */
    private readonly sweep: (em: EntityManager, user: ErasedUser) => Promise<string | null>,
  ) {
    this.kick = periodically({ lifecycle, logger }, 'erasure of people', LOOK_MS, () =>
      RequestContext.create(em, () => this.run()),
    );
  }

  /** Idempotent: delivering the event again changes nothing. */
  async note(batch: EventBatch<typeof userErased>): Promise<void> {
    for (const { data } of batch)
      await this.em.execute(
        `insert into "erased_user" ("user_id", "pseudonym", "next_pass_at") values (?, ?, now()) on conflict do nothing`,
        [data.userId, data.pseudonym],
        'run',
      );
    this.kick();
  }

  /** Runs every pass that is due; replicas share the work. At the end throws the error of the first pass that failed, if any. */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    while (await this.pass(failures));
    if (failures.length > 0) throw failures[0];
  }

  private async pass(failures: unknown[]): Promise<boolean> {
    const locked: { userId?: number } = {};
    try {
      return await this.batch(locked);
    } catch (error) {
      if (locked.userId === undefined) throw error;
      failures.push(error);
      await this.em.execute(
        `update "erased_user" set "next_pass_at" = now() + ${AFTER_FAILURE} where "user_id" = ? and "next_pass_at" <= now()`,
        [locked.userId],
        'run',
      );
      return true;
    }
  }

  /** After a batch, the user is queued behind the others. */
  private batch(locked: { userId?: number }): Promise<boolean> {
    return this.em.transactional(async (em) => {
      const [row] = await em.execute<{ user_id: number; pseudonym: string; mark: string | null }[]>(
        `select "user_id", "pseudonym", "mark" from "erased_user" where "next_pass_at" <= now() order by "next_pass_at", "user_id"
         limit 1 for update skip locked`,
      );
      if (!row) return false;
      const { user_id: userId, pseudonym, mark } = row;
      locked.userId = userId;
      const next = await this.sweep(em as EntityManager, { userId, pseudonym, mark });
      if (next !== null) {
        const goOn = `update "erased_user" set "mark" = ?, "next_pass_at" = now() where "user_id" = ?`;
        await em.execute(goOn, [next, userId], 'run');
        return true;
      }
      await em.execute(
        `update "erased_user" set "mark" = null, "passes" = "passes" + 1,
           "next_pass_at" = case when "passes" = 0 then now() + ${SECOND_PASS} end where "user_id" = ?`,
        [userId],
        'run',
      );
      return true;
    });
  }
}

/** Whether a user has been erased, so that new rows must not identify them. Users erased concurrently are covered by the second pass. */
export async function isErased(em: EntityManager, userId: number): Promise<boolean> {
  const rows = await em.execute<object[]>(`select 1 from "erased_user" where "user_id" = ?`, [userId]);
  return rows.length > 0;
}
