import { RequestContext } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventBatch, userErased } from '@tollgate/contracts';
import { type Lifecycle, type Logger, periodically } from '@tollgate/chassis';

/** Of a service that keeps something about people. Writers of such rows look here, so that what arrives late is taken the same way. */
export const erasedUsersSchema = `create table "erased_user" (
  "user_id" int not null primary key,
  "pseudonym" text not null,
  "erased_at" timestamptz not null default now(),
  "passes" int not null default 0,
  "next_pass_at" timestamptz null
)`;

/** How far the pass that is under way has come. */
export const erasedUsersMark = `alter table "erased_user" add column if not exists "mark" text null`;

export interface ErasedUser {
  userId: number;
  pseudonym: string;
  /** What the batch before answered; null at the beginning of a pass. */
  mark: string | null;
}

const LOOK_MS = 30_000;
/** What was being written while the first pass ran is in long before the second. */
const SECOND_PASS = "interval '2 minutes'";

/** A pass that failed lets everybody else go first. */
const AFTER_FAILURE = "interval '5 minutes'";

/**
 * Takes what names people out of a service's tables. The event only notes whom; the passes over the tables are transactions of their own, or
 * several where a pass is made in batches, so a process that is killed leaves what it was at to be made again, whole. There are two passes: the
 * first at once, the second for rows whose writers had looked before the note was there.
 */
export class ErasedUsers {
  private readonly kick: () => void;

  constructor(
    private readonly em: EntityManager,
    { lifecycle, logger }: { lifecycle: Lifecycle; logger: Logger },
    /** In a transaction that locks the note; safe to repeat. Answers the mark to go on from, or null when the pass is made. */
    private readonly sweep: (em: EntityManager, user: ErasedUser) => Promise<string | null>,
  ) {
    this.kick = periodically({ lifecycle, logger }, 'erasure of people', LOOK_MS, () =>
      RequestContext.create(em, () => this.run()),
    );
  }

  /** A second delivery of the event changes nothing. */
  async note(batch: EventBatch<typeof userErased>): Promise<void> {
    for (const { data } of batch)
      await this.em.execute(
        `insert into "erased_user" ("user_id", "pseudonym", "next_pass_at") values (?, ?, now()) on conflict do nothing`,
        [data.userId, data.pseudonym],
        'run',
      );
    this.kick();
  }

  /** Every pass that is due. Replicas share them. Throws, once all others are made, what the first pass that failed threw. */
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

  /** Whoever has had a batch goes behind the others who wait. */
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

/** Whether something about this user may still name them. Of a user who is erased this very moment the second pass sees to it. */
export async function isErased(em: EntityManager, userId: number): Promise<boolean> {
  const rows = await em.execute<object[]>(`select 1 from "erased_user" where "user_id" = ?`, [userId]);
  return rows.length > 0;
}
