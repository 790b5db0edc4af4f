import { Migration } from '@mikro-orm/migrations';
import { erasedUsersSchema } from '@tollgate/database';

export class Migration20261123041000_erase_users extends Migration {
  override up(): void {
    this.addSql(erasedUsersSchema);
  }
}
