import { Migration } from '@mikro-orm/migrations';
import { erasedUsersMark } from '@tollgate/database';

/** Lets erasures of persons be processed in batches. */
export class Migration20261123045000_sweep_in_batches extends Migration {
  override up(): void {
    this.addSql(erasedUsersMark);
  }
}
