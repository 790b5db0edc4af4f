import { Migration } from '@mikro-orm/migrations';
import { noteChannelUsage } from './Migration20261123090000_sum_channel_usage.js';

/**
 * Channel tests now have log rows. The sums per channel leave them out, because the journal with which they are
 * compared does not contain them.
 */
export class Migration20261126000000_leave_channel_tests_out extends Migration {
  override up(): void {
    const isTest = `l."token_id" = 0 and l."other"->'channel_test' is not null`;
    this.addSql(noteChannelUsage(`l."type" = 2 and l."channel_id" > 0 and not (${isTest})`));
  }
}
