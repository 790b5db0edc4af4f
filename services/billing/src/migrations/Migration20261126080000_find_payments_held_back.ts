import { OnlineMigration } from '@tollgate/database';

/** Index for payments that did not fit into their wallet, which are searched regularly. There are very few of them. */
export class Migration20261126080000_find_payments_held_back extends OnlineMigration {
  override up(): void {
    this.buildIndex('top_up_step_held_back_index', `"top_up_step" ("order_id") where "verdict" = 'not-credited'`);
  }
}
