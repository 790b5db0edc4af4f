import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type PlatformRequest, storableText } from '@tollgate/chassis';

const MAX_AGENT = 300;
/** Maximum of listed sign-ins per user. The oldest ones leave the list, but their sessions stay valid. */
const MAX_LISTED = 100;

/** Stores sign-ins for the lists of sessions. */
@Injectable()
export class SignIns {
  constructor(private readonly em: EntityManager) {}

  async add(sessionId: string, userId: number, request: PlatformRequest): Promise<void> {
    const agent = storableText((request.headers['user-agent'] ?? '').slice(0, MAX_AGENT));
    // Waits for a concurrent erasure of the user, and inserts nothing after it.
    await this.em.execute(
      `insert into "sign_in" ("session_id", "user_id", "user_agent", "address")
       select ?, "id", ?, ? from "users" where "id" = ? and "deleted_at" is null for key share on conflict do nothing`,
      [sessionId, agent, request.ip, userId],
    );
    await this.em.execute(
      `delete from "sign_in" where "user_id" = ? and "id" not in
         (select "id" from "sign_in" where "user_id" = ? order by "id" desc limit ?)`,
      [userId, userId, MAX_LISTED],
    );
  }

  /** Removes sign-ins whose session has ended. */
  async forget(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.em.execute('delete from "sign_in" where "id" = any(array[?]::int[])', [[...ids]]);
  }
}
