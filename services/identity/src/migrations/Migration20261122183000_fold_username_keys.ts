import { Migration } from '@mikro-orm/migrations';
import { nameKey } from '@tollgate/contracts';

interface Row {
  id: number;
  username: string;
}

/**
 * Keys of names became those of the letters that they look like; plain ones stay as they are. Where two users look alike, whoever has the key
 * keeps it, then whoever came first; the other signs in by the key he has.
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
