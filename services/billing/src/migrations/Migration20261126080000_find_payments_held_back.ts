import { OnlineMigration } from '@tollgate/database';

/** Payments that came and found no room in their wallet, which are looked for again and again. There are next to none. */
export class Migration20261126080000_find_payments_held_back extends OnlineMigration {
  override up(): void {
    this.buildIndex('top_up_step_held_back_index', `"top_up_step" ("order_id") where "verdict" = 'not-credited'`);
  }
}
