import { Migration } from '@mikro-orm/migrations';

export class Migration20261123013000_hash_keys extends Migration {
  override up(): void {
    this.addSql(
      `create table "hash_key" ("purpose" text not null, "sealed" text not null, constraint "hash_key_pkey" primary key ("purpose"));`,
    );
  }
}
