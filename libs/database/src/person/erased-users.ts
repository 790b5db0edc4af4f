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

export interface ErasedUser {
  userId: number;
  pseudonym: string;
}

const LOOK_MS = 30_000;
/** What was being written while the first pass ran is in long before the second. */
const SECOND_PASS = "interval '2 minutes'";

/**
 * Takes what names people out of a service's tables. The event only notes whom; the passes over the tables are transactions of their own, so a
 * process that is killed leaves a pass to be made again, whole. There are two of them: the first at once, the second for rows whose writers had
 * looked before the note was there.
 */
export class ErasedUsers {
  private readonly kick: () => void;

  constructor(
    private readonly em: EntityManager,
    { lifecycle, logger }: { lifecycle: Lifecycle; logger: Logger },
    /** In the transaction of the pass, which locks the note; safe to repeat. */
    private readonly sweep: (em: EntityManager, user: ErasedUser) => Promise<void>,
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

  /** Every pass that is due. Replicas share them. */
  async run(): Promise<void> {
    while (await this.pass());
  }

  private pass(): Promise<boolean> {
    return this.em.transactional(async (em) => {
      const [row] = await em.execute<{ user_id: number; pseudonym: string }[]>(
        `select "user_id", "pseudonym" from "erased_user" where "next_pass_at" <= now() order by "next_pass_at", "user_id"
         limit 1 for update skip locked`,
      );
      if (!row) return false;
      await this.sweep(em as EntityManager, { userId: row.user_id, pseudonym: row.pseudonym });
      await em.execute(
        `update "erased_user" set "passes" = "passes" + 1,
           "next_pass_at" = case when "passes" = 0 then now() + ${SECOND_PASS} end where "user_id" = ?`,
        [row.user_id],
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
