import { Migration } from '@mikro-orm/migrations';
import { nameKey } from '@tollgate/contracts';

interface Row {
  id: number;
  username: string;
}

/**
 * Replaces username keys by keys with look-alike letters folded; keys of plain names do not change. Where two users
 * look alike, the folded key goes to the user who already has it, otherwise to the older one; the other user keeps the
 * old key and signs in by it.
 */
export class Migration20261122183000_fold_username_keys extends Migration {
  override async up(): Promise<void> {
    const rows = (await this.execute(
      `select "id", "username" from "users" where octet_length("username_key") <> char_length("username_key") order by "id"`,
    )) as Row[];
    for (const { id, username } of rows) {
      const key = nameKey(username);
      await this.execute(
        `update "users" set "username_key" = ? where "id" = ? and not exists (select 1 from "users" where "username_key" = ?)`,
        [key, id, key],
      );
    }
  }
}
