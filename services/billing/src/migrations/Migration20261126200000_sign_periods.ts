import { Migration } from '@mikro-orm/migrations';

/**
 * Signatures are stored separately, because seals cannot be changed. Older seals are signed when the next period is
 * closed.
 */
export class Migration20261126200000_sign_periods extends Migration {
  override up(): void {
    this.addSql(`create table "period_signature" (
      "period_id" int primary key, "text" text not null, "signature" text not null
    );`);
    this.addSql(
      `create trigger "period_signature_append_only" before update or delete on "period_signature" for each row execute function "refuse_change"();`,
    );
  }
}
