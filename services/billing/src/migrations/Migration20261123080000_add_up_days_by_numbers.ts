import { Migration } from '@mikro-orm/migrations';

/**
 * Replaced a function that `Migration20261123100000_sum_before` replaces again. The empty migration stays, because
 * databases have recorded it.
 */
export class Migration20261123080000_add_up_days_by_numbers extends Migration {
  override up(): void {
    return;
  }
}
