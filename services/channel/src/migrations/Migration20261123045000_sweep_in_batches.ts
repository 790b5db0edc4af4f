import { Migration } from '@mikro-orm/migrations';
import { erasedUsersMark } from '@tollgate/database';

/** People are forgotten in batches. */
export class Migration20261123045000_sweep_in_batches extends Migration {
  override up(): void {
    this.addSql(erasedUsersMark);
  }
}
