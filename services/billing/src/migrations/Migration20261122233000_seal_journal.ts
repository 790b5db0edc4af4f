import { Migration } from '@mikro-orm/migrations';

/**
 * Chains, seals and keys are separate from the journal: booking only writes one more column and does not depend on
 * them.
 */
export class Migration20261122233000_seal_journal extends Migration {
  override up(): void {
    // The id of the transaction that wrote a row tells when no earlier row can appear any more. Older rows have none.
    this.addSql(`alter table "posting" add column "tx" bigint null;`);
    this.addSql(`alter table "posting" alter column "tx" set default pg_current_xact_id()::text::bigint;`);
    this.addSql(`create index "posting_tx_index" on "posting" ("tx") where "tx" is not null;`);
    this.addSql(`create table "journal_link" (
      "chain" text not null, "position" bigint not null, "posting_id" uuid not null, "hash" bytea not null,
      primary key ("chain", "position"), constraint "journal_link_posting_id_unique" unique ("posting_id")
    );`);
    this.addSql(`create table "journal_seal" (
      "chain" text not null, "number" bigint not null, "position" bigint not null, "text" text not null, "signature" text not null,
      "sealed_at" timestamptz not null, primary key ("chain", "number")
    );`);
    this.addSql(`create table "seal_key" (
      "id" text primary key, "public_key" text not null, "private_sealed" text not null, "created_at" timestamptz not null default now()
    );`);
    this.addSql(`create table "seal_progress" ("id" int primary key, "tx" bigint not null, "old_id" uuid null);`);
    this.addSql(
      `insert into "seal_progress" ("id", "tx", "old_id") values (1, 0, '00000000-0000-0000-0000-000000000000');`,
    );
    for (const table of ['journal_link', 'journal_seal', 'seal_key'])
      this.addSql(
        `create trigger "${table}_append_only" before update or delete on "${table}" for each row execute function "refuse_change"();`,
      );
  }
}
