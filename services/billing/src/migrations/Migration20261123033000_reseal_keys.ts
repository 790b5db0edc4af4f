import { Migration } from '@mikro-orm/migrations';

/** A signing key itself never changes; it may only be encrypted with another secret key. */
export class Migration20261123033000_reseal_keys extends Migration {
  override up(): void {
    this.addSql(`drop trigger "seal_key_append_only" on "seal_key";`);
    this.addSql(
      `create trigger "seal_key_append_only" before update of "id", "public_key", "created_at" or delete on "seal_key" for each row execute function "refuse_change"();`,
    );
  }
}
