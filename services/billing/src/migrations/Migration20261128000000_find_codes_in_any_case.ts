import { OnlineMigration } from '@tollgate/database';

/**
 * Indexes codes by the beginning of their name in lower case. The index by the name as typed is kept for replicas of
 * the previous release; the next release drops it.
 */
export class Migration20261128000000_find_codes_in_any_case extends OnlineMigration {
  override up(): void {
    this.buildIndex('redemption_lower_name_index', '"redemption" (lower("name") text_pattern_ops)');
  }
}
